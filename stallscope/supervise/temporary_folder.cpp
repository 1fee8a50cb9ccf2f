#include "stallscope/supervise/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "stallscope/base/error.h"
#include "stallscope/supervise/undo.h"

namespace stallscope {

TemporaryFolder::TemporaryFolder(Watchdog* watchdog, const std::filesystem::path& base) {
  const char* chosen = std::getenv("TMPDIR");
  const std::string usual = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  const std::filesystem::path parent = base.empty() ? std::filesystem::path(usual) : base;
  std::string name = std::filesystem::absolute(parent) / "stallscope-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(
        fmt::format("cannot make a temporary folder in '{}': {}", parent.string(), ErrnoText(errno)),
        base.empty() ? "set TMPDIR to a folder that you may write" : "give a folder that you may write");
  }
  path_ = name;
  if (watchdog != nullptr) watched_ = watchdog->RemoveTree(path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) RemoveTreeNow(path_);
}

}  // namespace stallscope
