#include "stallscope/supervise/namespace_holder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/supervise/fork.h"

namespace stallscope {
namespace {

/// The holder's whole life: async-signal-safe calls only.
[[noreturn]] void Hold(Privilege privilege, std::optional<int> user_namespace, pid_t parent, int report) {
  setsid();  // the terminal's Ctrl-C is not for it
  int failure = 0;
  const int flags = CLONE_NEWNET | (privilege == Privilege::kUserNamespace ? CLONE_NEWUSER : 0);
  if (user_namespace && setns(*user_namespace, CLONE_NEWUSER) != 0) failure = errno;
  if (failure == 0 && unshare(flags) != 0) failure = errno;
  // Changed credentials hide a process from its own parent's /proc; the parent needs to look in.
  prctl(PR_SET_DUMPABLE, 1);
  prctl(PR_SET_NAME, "stallscope-netns");
  if (!DieWithParent(parent)) _exit(1);
  if (write(report, &failure, sizeof failure) != static_cast<ssize_t>(sizeof failure) || failure != 0)
    _exit(1);
  CloseAllDescriptorsBut(report);
  if (chdir("/") != 0) _exit(1);
  while (true) pause();
}

FileDescriptor OpenOrThrow(const std::string& path, int flags) {
  FileDescriptor fd(open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid()) throw Error(fmt::format("cannot open '{}': {}", path, ErrnoText(errno)), "run as root");
  return fd;
}

void WriteMap(const std::string& path, const std::string& text) {
  const FileDescriptor fd = OpenOrThrow(path, O_WRONLY);
  if (write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw Error(fmt::format("cannot write '{}': {}", path, ErrnoText(errno)), "run as root");
  }
}

}  // namespace

NamespaceHolder::NamespaceHolder(Privilege privilege, std::optional<int> user_namespace) {
  Pipe report = MakePipe();
  const pid_t parent = getpid();
  pid_ = ForkWithoutHandlers();
  if (pid_ == 0) Hold(privilege, user_namespace, parent, report.write_end.get());
  try {
    report.write_end.Close();
    int failure = EPERM;
    while (read(report.read_end.get(), &failure, sizeof failure) < 0 && errno == EINTR) {
    }
    if (failure != 0) {
      throw Error("cannot make a network namespace: " + ErrnoText(failure),
                  "run as root, or allow user namespaces (sysctl user.max_user_namespaces)");
    }
    const std::string process = fmt::format("/proc/{}/", pid_);
    if (privilege == Privilege::kUserNamespace) {
      WriteMap(process + "setgroups", "deny");
      WriteMap(process + "uid_map", fmt::format("0 {} 1", geteuid()));
      WriteMap(process + "gid_map", fmt::format("0 {} 1", getegid()));
    }
    network_ = OpenOrThrow(process + "ns/net", O_RDONLY);
    user_ = OpenOrThrow(process + "ns/user", O_RDONLY);
  } catch (...) {
    NamespaceHolder dying(std::move(*this));  // a constructor that throws runs no destructor
    throw;
  }
}

NamespaceHolder::NamespaceHolder(NamespaceHolder&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      network_(std::move(other.network_)),
      user_(std::move(other.user_)) {}

NamespaceHolder::~NamespaceHolder() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace stallscope
