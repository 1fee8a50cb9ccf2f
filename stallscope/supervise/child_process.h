#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/supervise/exit_status.h"
#include "stallscope/supervise/file_descriptor.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {

struct ChildOptions {
  /// The program and its arguments. A program without a slash is looked up in PATH.
  std::vector<std::string> argv;
  std::map<std::string, std::string> set_environment;
  std::vector<std::string> unset_environment;
  /// Empty: ours.
  std::filesystem::path working_folder;
  /// Standard output and error are appended here; empty: they are dropped.
  std::filesystem::path log_file;
  /// Descriptors of the caller that take standard output or error instead of the log.
  std::optional<int> output_fd;
  std::optional<int> error_fd;
  /// The cores it may use; empty: all of ours.
  std::vector<int> cpus;
  /// Namespaces to join, as descriptors; the user namespace first, for it gives the right to the others.
  std::optional<int> user_namespace;
  std::optional<int> network_namespace;
  /// Paths, that of the working folder too, then mean what they mean in there.
  std::optional<int> mount_namespace;
  /// `cgroup.procs` files of the cgroups to join.
  std::vector<std::filesystem::path> cgroup_procs;
  /// A group of its own: the terminal's Ctrl-C does not reach it, and it ends with all its descendants.
  bool own_process_group = true;
  /// Kills the rest of the process group if we are killed (the child itself dies with us anyway).
  Watchdog* watchdog = nullptr;
};

/// A running program. It dies with the thread that started it (PR_SET_PDEATHSIG counts threads, not
/// processes), so start children from a thread that outlives them. Its standard input takes lines from us;
/// its descriptor 3 brings lines to us. When it ends, whatever is left of its process group is killed.
class ChildProcess {
 public:
  /// Returns once the program runs; throws Error, naming the program, where it cannot.
  explicit ChildProcess(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills at once what still runs; Terminate first where it deserves a grace.
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  /// By a signal (SIGSTOP), and not continued yet.
  bool IsStopped() const;
  /// Readable when the child has written to its descriptor 3, or closed it; nonblocking.
  int event_fd() const { return events_.get(); }
  /// Readable when the child has ended.
  int exit_fd() const { return exit_fd_.get(); }

  /// Writes a line to the child's standard input; false where nobody reads it any more.
  bool SendLine(const std::string& line);
  /// The child's standard input ends.
  void CloseInput() { input_.Close(); }

  /// How it ended, if it has.
  std::optional<ExitStatus> Poll();
  /// Waits at most this long for its end.
  std::optional<ExitStatus> Wait(Seconds timeout);

  /// A signal to the whole group.
  void Signal(int number);
  /// SIGTERM to the group, SIGKILL after the grace, and reaped.
  ExitStatus Terminate(Seconds grace);

 private:
  pid_t pid_ = -1;
  bool own_group_ = true;
  FileDescriptor input_;
  FileDescriptor events_;
  FileDescriptor exit_fd_;
  std::optional<ExitStatus> status_;
  Watchdog::Item watched_;
};

/// Terminates all, with one grace for them together.
void TerminateAll(std::vector<ChildProcess>& children, Seconds grace);

}  // namespace stallscope
