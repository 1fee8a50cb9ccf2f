#include "stallscope/supervise/temporary_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "stallscope/base/error.h"
#include "stallscope/supervise/undo.h"

namespace stallscope {

TemporaryFolder::TemporaryFolder(Watchdog* watchdog) {
  const char* chosen = std::getenv("TMPDIR");
  const std::string base = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
  std::string name = std::filesystem::absolute(base) / "stallscope-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make a temporary folder in '{}': {}", base, ErrnoText(errno)),
                "set TMPDIR to a folder that you may write");
  }
  path_ = name;
  if (watchdog != nullptr) watched_ = watchdog->RemoveTree(path_);
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) RemoveTreeNow(path_);
}

}  // namespace stallscope
