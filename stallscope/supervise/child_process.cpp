#include "stallscope/supervise/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/supervise/child_start.h"

namespace stallscope {
namespace {

/// A child that does not read its input for so long is as good as gone.
constexpr double kSendTimeout_s = 5;
/// SIGKILL acts at once except in an uninterruptible wait, as on a dead NFS server.
constexpr Seconds kKillTimeout(5);

ExitStatus FromWaitStatus(int status) {
  if (WIFSIGNALED(status)) return {.exit_code = std::nullopt, .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status), .signal = std::nullopt};
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) : own_group_(options.own_process_group) {
  StartedChild started = StartChild(options);
  pid_ = started.pid;
  input_ = std::move(started.input);
  events_ = std::move(started.events);
  // The wrapper of glibc 2.36 lacks extern "C".
  exit_fd_ = FileDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (options.watchdog != nullptr && own_group_) watched_ = options.watchdog->KillGroup(pid_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      own_group_(other.own_group_),
      input_(std::move(other.input_)),
      events_(std::move(other.events_)),
      exit_fd_(std::move(other.exit_fd_)),
      status_(other.status_),
      watched_(std::move(other.watched_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(own_group_, other.own_group_);
  std::swap(input_, other.input_);
  std::swap(events_, other.events_);
  std::swap(exit_fd_, other.exit_fd_);
  std::swap(status_, other.status_);
  std::swap(watched_, other.watched_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || status_) return;
  Signal(SIGKILL);
  Wait(kKillTimeout);
}

bool ChildProcess::SendLine(const std::string& line) {
  return input_.valid() && WriteWithoutSigpipe(input_.get(), line + "\n", kSendTimeout_s);
}

bool ChildProcess::IsStopped() const {
  if (status_ || pid_ < 0) return false;
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

std::optional<ExitStatus> ChildProcess::Poll() {
  if (status_ || pid_ < 0) return status_;
  siginfo_t info{};
  // Not reaped yet: until then the number of its group cannot become somebody else's.
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
    return std::nullopt;
  }
  if (own_group_) kill(-pid_, SIGKILL);
  watched_ = {};
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  status_ = FromWaitStatus(status);
  return status_;
}

std::optional<ExitStatus> ChildProcess::Wait(Seconds timeout) {
  if (!status_ && pid_ >= 0) WaitReady(exit_fd_.get(), POLLIN, timeout.count());
  return Poll();
}

void ChildProcess::Signal(int number) {
  if (pid_ < 0 || status_) return;
  kill(own_group_ ? -pid_ : pid_, number);
}

ExitStatus ChildProcess::Terminate(Seconds grace) {
  Signal(SIGTERM);
  if (const auto status = Wait(grace)) return *status;
  Signal(SIGKILL);
  return Wait(kKillTimeout).value_or(ExitStatus{.exit_code = std::nullopt, .signal = SIGKILL});
}

void TerminateAll(std::vector<ChildProcess>& children, Seconds grace) {
  const double deadline = MonotonicSeconds() + grace.count();
  for (ChildProcess& child : children) child.Signal(SIGTERM);
  for (ChildProcess& child : children) child.Wait(Seconds(std::max(0.0, deadline - MonotonicSeconds())));
  for (ChildProcess& child : children) child.Signal(SIGKILL);
  for (ChildProcess& child : children) child.Wait(kKillTimeout);
}

}  // namespace stallscope
