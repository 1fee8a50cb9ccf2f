#include <fmt/format.h>

#include <fstream>

#include "stallscope/base/error.h"
#include "stallscope/hook/hook_files.h"

namespace stallscope {

void WriteHookFiles(const std::filesystem::path& folder) {
  for (const EmbeddedFile& file : HookFiles()) {
    const std::filesystem::path path = folder / file.name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream stream(path);
    stream << file.text << std::flush;
    if (!stream)
      throw Error(fmt::format("cannot write '{}'", path.string()), "free some space there, or set TMPDIR");
  }
}

}  // namespace stallscope
