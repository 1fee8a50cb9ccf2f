#include "stallscope/supervise/block_device.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <system_error>

namespace stallscope {

namespace fs = std::filesystem;

std::optional<std::string> WholeDisk(const Root& root, dev_t device) {
  std::error_code error;
  // The link leads to .../block/vda/vda1, so that a partition's parent folder is its disk.
  const fs::path link = root.path / fmt::format("sys/dev/block/{}:{}", major(device), minor(device));
  const fs::path folder = fs::canonical(link, error);
  if (error) return std::nullopt;
  const fs::path disk = fs::exists(folder / "partition", error) ? folder.parent_path() : folder;
  auto number = ReadText(Root{disk}, "dev");
  if (!number) return std::nullopt;
  while (!number->empty() && number->back() == '\n') number->pop_back();
  return number;
}

std::optional<std::string> WholeDiskBelow(const fs::path& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return WholeDisk({}, info.st_dev);
}

}  // namespace stallscope
