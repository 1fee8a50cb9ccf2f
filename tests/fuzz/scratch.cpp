#include "tests/fuzz/scratch.h"

#include <fstream>

namespace stallscope {

void ScratchFile::Write(std::string_view bytes) const {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace stallscope
