#include "stallscope/report/csv_file.h"

#include <fmt/core.h>

#include "stallscope/base/error.h"

namespace stallscope {

std::ofstream OpenCsv(const std::filesystem::path& path, bool append, void (*write_header)(std::ostream&)) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(path, code);
  const bool is_new = !append || code || bytes == 0;
  std::ofstream file(path, is_new ? std::ios::trunc : std::ios::app);
  if (!file) {
    throw Error(fmt::format("cannot write '{}'", path.string()),
                "check that the folder exists and that you may write there");
  }
  if (is_new) write_header(file);
  return file;
}

std::string RoundText(const MeasuredBlock& block) {
  return block.round ? std::to_string(*block.round) : "";
}

}  // namespace stallscope
