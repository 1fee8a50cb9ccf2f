#include "app/profile_file.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {

std::filesystem::path ProfileFileAt(const std::string& given) {
  std::error_code ignored;
  const std::filesystem::path path(given);
  if (!std::filesystem::is_directory(path, ignored)) return path;
  if (!std::filesystem::exists(path / "profile.json", ignored)) {
    throw Error(fmt::format("the folder '{}' holds no profile.json", given),
                "give the --out folder of a finished run, or a profile document");
  }
  return path / "profile.json";
}

Profile ReadProfileAt(const std::string& given) {
  const std::filesystem::path file = ProfileFileAt(given);
  return ProfileFromJson(ReadFile(file), file.string());
}

}  // namespace stallscope
