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

/// All that the holder needs, allocated before the fork.
struct Prepared {
  int flags = 0;
  const char* name = "";
  std::string uid_map;
  std::string gid_map;
};

Prepared Prepare(const HolderPlan& plan) {
  const bool network = plan.space == Space::kNetwork;
  Prepared prepared{.flags = network ? CLONE_NEWNET : CLONE_NEWNS,
                    .name = network ? "stallscope-netns" : "stallscope-mntns"};
  if (plan.privilege != Privilege::kUserNamespace) return prepared;
  prepared.flags |= CLONE_NEWUSER;
  // The tools that furnish a network must be root to keep the namespace's rights through exec. Mounts are
  // made by the holder itself, and the programs that see them shall find their usual user.
  prepared.uid_map = fmt::format("{} {} 1", network ? 0 : geteuid(), geteuid());
  prepared.gid_map = fmt::format("{} {} 1", network ? 0 : getegid(), getegid());
  return prepared;
}

int WriteOnce(const char* path, const char* text, std::size_t size) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int failure = write(fd, text, size) == static_cast<ssize_t>(size) ? 0 : errno;
  close(fd);
  return failure;
}

/// The one mapping that an ordinary user may give to a user namespace: its own, without other groups.
int MapUser(const Prepared& prepared) {
  if (const int failure = WriteOnce("/proc/self/setgroups", "deny", 4)) return failure;
  if (const int failure = WriteOnce("/proc/self/uid_map", prepared.uid_map.data(), prepared.uid_map.size()))
    return failure;
  return WriteOnce("/proc/self/gid_map", prepared.gid_map.data(), prepared.gid_map.size());
}

/// Into the new namespace: 0, or an errno value.
int Enter(const HolderPlan& plan, const Prepared& prepared) {
  if (plan.user_namespace && setns(*plan.user_namespace, CLONE_NEWUSER) != 0) return errno;
  if (unshare(prepared.flags) != 0) return errno;
  // Changed credentials hide a process's /proc from its own parent, which needs to look in, and from itself.
  prctl(PR_SET_DUMPABLE, 1);
  return prepared.uid_map.empty() ? 0 : MapUser(prepared);
}

/// The holder's whole life: async-signal-safe calls only.
[[noreturn]] void Hold(const HolderPlan& plan, const Prepared& prepared, pid_t parent, int report) {
  setsid();  // the terminal's Ctrl-C is not for it
  int failure = Enter(plan, prepared);
  prctl(PR_SET_NAME, prepared.name);
  if (!DieWithParent(parent)) _exit(1);
  if (failure == 0 && plan.furnish) failure = plan.furnish();
  if (write(report, &failure, sizeof failure) != static_cast<ssize_t>(sizeof failure) || failure != 0)
    _exit(1);
  CloseAllDescriptorsBut(report);
  if (chdir("/") != 0) _exit(1);
  while (true) pause();
}

FileDescriptor OpenOrThrow(const std::string& path) {
  FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) throw Error(fmt::format("cannot open '{}': {}", path, ErrnoText(errno)), "run as root");
  return fd;
}

}  // namespace

NamespaceHolder::NamespaceHolder(const HolderPlan& plan) : privilege_(plan.privilege) {
  const Prepared prepared = Prepare(plan);
  Pipe report = MakePipe();
  const pid_t parent = getpid();
  pid_ = ForkWithoutHandlers();
  if (pid_ == 0) Hold(plan, prepared, parent, report.write_end.get());
  try {
    report.write_end.Close();
    int failure = EPERM;
    while (read(report.read_end.get(), &failure, sizeof failure) < 0 && errno == EINTR) {
    }
    if (failure != 0) throw Error(fmt::format("cannot {}: {}", plan.purpose, ErrnoText(failure)), plan.hint);
    const std::string spaces = fmt::format("/proc/{}/ns/", pid_);
    network_ = OpenOrThrow(spaces + "net");
    mounts_ = OpenOrThrow(spaces + "mnt");
    user_ = OpenOrThrow(spaces + "user");
  } catch (...) {
    NamespaceHolder dying(std::move(*this));  // a constructor that throws runs no destructor
    throw;
  }
}

NamespaceHolder::NamespaceHolder(Privilege privilege, std::optional<int> user_namespace)
    : NamespaceHolder(HolderPlan{.privilege = privilege, .user_namespace = user_namespace}) {}

NamespaceHolder::NamespaceHolder(NamespaceHolder&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      privilege_(other.privilege_),
      network_(std::move(other.network_)),
      mounts_(std::move(other.mounts_)),
      user_(std::move(other.user_)) {}

NamespaceHolder::~NamespaceHolder() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace stallscope
