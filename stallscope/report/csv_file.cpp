#include "stallscope/report/csv_file.h"

#include <fmt/core.h>

#include "stallscope/base/error.h"

namespace stallscope {

std::ofstream OpenCsv(const std::filesystem::path& path) {
  std::ofstream file(path);
  if (!file) {
    throw Error(fmt::format("cannot write '{}'", path.string()),
                "check that the folder exists and that you may write there");
  }
  return file;
}

std::string RoundText(const MeasuredBlock& block) {
  return block.round ? std::to_string(*block.round) : "";
}

}  // namespace stallscope
