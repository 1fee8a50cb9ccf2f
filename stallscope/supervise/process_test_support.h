#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "stallscope/base/clock.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// True as soon as the claim holds; false after a time that no loaded machine needs.
inline bool BecomesTrue(const std::function<bool()>& claim) {
  const double deadline = MonotonicSeconds() + 20;
  while (!claim()) {
    if (MonotonicSeconds() > deadline) return false;
    usleep(5000);
  }
  return true;
}

/// An ended process that nobody reaps, as under an idle init of a container, is gone for us.
inline bool IsRunning(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t state = text.rfind(") ");
  return state != std::string::npos && text[state + 2] != 'Z' && text[state + 2] != 'X';
}

inline bool VanishesSoon(pid_t pid) {
  return BecomesTrue([pid] { return !IsRunning(pid); });
}

inline bool VanishesSoon(const std::filesystem::path& path) {
  return BecomesTrue([&] { return !std::filesystem::exists(path); });
}

/// A forked process that makes something, tells about it, and waits to be killed.
class OwnerProcess {
 public:
  using Tell = std::function<void(const std::string&)>;

  explicit OwnerProcess(const std::function<void(const Tell&)>& make) : pipe_(MakePipe()) {
    pid_ = fork();
    if (pid_ == 0) {
      try {
        make(
            [this](const std::string& line) { WriteWithoutSigpipe(pipe_.write_end.get(), line + "\n", 10); });
        while (true) pause();
      } catch (...) {
        _exit(1);
      }
    }
    pipe_.write_end.Close();
  }
  OwnerProcess(const OwnerProcess&) = delete;
  OwnerProcess& operator=(const OwnerProcess&) = delete;
  ~OwnerProcess() { Kill(); }

  pid_t pid() const { return pid_; }

  /// The next line that it tells; empty where it ended instead.
  std::string Hear() {
    std::string line;
    char letter = 0;
    while (read(pipe_.read_end.get(), &letter, 1) == 1 && letter != '\n') line += letter;
    return line;
  }

  void Kill() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

 private:
  Pipe pipe_;
  pid_t pid_ = -1;
};

}  // namespace stallscope
