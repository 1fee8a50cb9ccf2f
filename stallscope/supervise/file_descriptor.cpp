#include "stallscope/supervise/file_descriptor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <system_error>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Blocks SIGPIPE for this thread, and swallows the one that a write in between has raised. One that
/// was pending before stays.
class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &previous_);
  }
  ~SigpipeGuard() {
    if (!was_pending_) {
      const timespec no_wait{};
      while (sigtimedwait(&sigpipe_, nullptr, &no_wait) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;

 private:
  sigset_t sigpipe_{};
  sigset_t previous_{};
  bool was_pending_ = false;
};

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void FileDescriptor::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Pipe MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error("cannot make a pipe: " + ErrnoText(errno), "raise the limit of open files (ulimit -n)");
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void SetNonblocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::string ErrnoText(int error_number) {
  return std::system_category().message(error_number);
}

bool WaitReady(int fd, short events, double timeout_s) {
  const double deadline = MonotonicSeconds() + timeout_s;
  while (true) {
    // Rounded up: a wait of 0.4 ms must not become a busy loop.
    const double left_ms = std::ceil((deadline - MonotonicSeconds()) * 1e3);
    pollfd item{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&item, 1, static_cast<int>(std::clamp(left_ms, 0.0, 1e9)));
    if (ready > 0) return true;
    if (ready == 0 && left_ms <= 0) return false;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool WriteWithoutSigpipe(int fd, const std::string& text, double timeout_s) {
  const SigpipeGuard guard;
  const double deadline = MonotonicSeconds() + timeout_s;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(fd, text.data() + written, text.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (!WaitReady(fd, POLLOUT, deadline - MonotonicSeconds())) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string ReadFromStart(int fd) {
  std::string text;
  std::array<char, 4096> chunk{};
  while (true) {
    const ssize_t count = pread(fd, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace stallscope
