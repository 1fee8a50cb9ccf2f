#include "stallscope/hook/observed_file.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace stallscope {

std::optional<std::string> ObservedFile::Next() {
  while (true) {
    if (auto line = lines_.Next()) return line;
    if (file_.valid()) lines_.ReadFrom(file_.get());
    if (auto line = lines_.Next()) return line;
    if (!FollowToTheNew()) return std::nullopt;
  }
}

bool ObservedFile::FollowToTheNew() {
  struct stat named {};
  struct stat opened {};
  if (stat(path_.c_str(), &named) != 0) return false;
  if (file_.valid()) {
    const bool same =
        fstat(file_.get(), &opened) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
    if (same) return false;
    // The old file was complete when it lost its name, which may have been after our last look.
    lines_.ReadFrom(file_.get());
  }
  file_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  return file_.valid();
}

}  // namespace stallscope
