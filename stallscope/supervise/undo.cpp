#include "stallscope/supervise/undo.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

/// Members of a cgroup and holders of a folder need a moment to die.
constexpr double kPatience_s = 5;
constexpr useconds_t kPause_us = 10'000;

void KillGroupNow(const std::string& text) {
  pid_t group = 0;
  std::from_chars(text.data(), text.data() + text.size(), group);
  // 0 and 1 would mean our own group, and everybody.
  if (group > 1) kill(-group, SIGKILL);
}

void MakeFoldersWritable(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::recursive_directory_iterator item(folder, ignored), end; item != end; item.increment(ignored)) {
    if (item->is_directory(ignored) && !item->is_symlink(ignored)) {
      fs::permissions(item->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
}

}  // namespace

bool RemoveTreeNow(const fs::path& folder) noexcept try {
  const double deadline = MonotonicSeconds() + kPatience_s;
  while (true) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (!error) return true;
    // A process that is just dying may still have written into it.
    if (MonotonicSeconds() > deadline) return false;
    MakeFoldersWritable(folder);
    usleep(kPause_us);
  }
} catch (...) {
  return false;
}

bool RemoveCgroupNow(const fs::path& folder) noexcept try {
  const double deadline = MonotonicSeconds() + kPatience_s;
  while (rmdir(folder.c_str()) != 0) {
    if (errno == ENOENT) return true;
    if (MonotonicSeconds() > deadline) return false;
    std::ifstream members(folder / "cgroup.procs");
    pid_t pid = 0;
    while (members >> pid) {
      if (pid > 1) kill(pid, SIGKILL);
    }
    usleep(kPause_us);
  }
  return true;
} catch (...) {
  return false;
}

void UndoNow(const Undo& undo) noexcept try {
  if (undo.kind == kUndoTree) RemoveTreeNow(undo.what);
  if (undo.kind == kUndoCgroup) RemoveCgroupNow(undo.what);
  if (undo.kind == kUndoGroup) KillGroupNow(undo.what);
} catch (...) {
  return;  // out of memory, at most: the next one may still work
}

}  // namespace stallscope
