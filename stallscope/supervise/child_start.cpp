#include "stallscope/supervise/child_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "stallscope/base/error.h"
#include "stallscope/supervise/fork.h"

namespace stallscope {
namespace {

enum class Step : int { kDescriptors, kCgroup, kNamespace, kMounts, kCpus, kFolder, kGroup, kExec };

/// What the child writes into the close-on-exec pipe if it does not get as far as its program.
struct Failure {
  Step step = Step::kExec;
  int error_number = 0;
};

/// All that the child needs, allocated before the fork: between fork and exec nothing may allocate.
struct Prepared {
  std::string program;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::vector<cpu_set_t> cpus;  // one wide set, as an array of narrow ones
  std::string folder;           // empty: it stays where it is
  FileDescriptor log;
  int output = -1;
  int error = -1;
};

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name);
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return name;  // exec will say that it is not there
}

std::vector<std::string> MakeEnvironment(const ChildOptions& options) {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    const auto& unset = options.unset_environment;
    if (options.set_environment.contains(name)) continue;
    if (std::find(unset.begin(), unset.end(), name) != unset.end()) continue;
    result.emplace_back(text);
  }
  for (const auto& [name, value] : options.set_environment)
    result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<cpu_set_t> MakeCpuMask(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  const auto highest = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end()));
  std::vector<cpu_set_t> mask(highest / CPU_SETSIZE + 1, cpu_set_t{});
  for (const int cpu : cpus) {
    CPU_SET_S(static_cast<std::size_t>(cpu), mask.size() * sizeof(cpu_set_t), mask.data());
  }
  return mask;
}

/// Whoever joins a mount namespace finds itself at its root; from there only an absolute path leads back.
std::string WorkingFolder(const ChildOptions& options) {
  if (!options.mount_namespace) return options.working_folder;
  return options.working_folder.empty() ? std::filesystem::current_path()
                                        : std::filesystem::absolute(options.working_folder);
}

FileDescriptor OpenLog(const std::filesystem::path& path) {
  const char* name = path.empty() ? "/dev/null" : path.c_str();
  FileDescriptor log(open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!log.valid()) {
    throw Error(fmt::format("cannot write log '{}': {}", name, ErrnoText(errno)),
                "check that its folder exists and is writable");
  }
  return log;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  // execve's signature predates const; it does not write.
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void Prepare(const ChildOptions& options, Prepared& prepared) {
  prepared.program = FindProgram(options.argv.at(0));
  prepared.environment = MakeEnvironment(options);
  prepared.argv = Pointers(options.argv);
  prepared.envp = Pointers(prepared.environment);
  prepared.cpus = MakeCpuMask(options.cpus);
  prepared.folder = WorkingFolder(options);
  prepared.log = OpenLog(options.log_file);
  prepared.output = options.output_fd.value_or(prepared.log.get());
  prepared.error = options.error_fd.value_or(prepared.log.get());
}

[[noreturn]] void Fail(int report, Step step) {
  const Failure failure{step, errno};
  // Nobody is left to tell if this fails.
  [[maybe_unused]] const ssize_t count = write(report, &failure, sizeof failure);
  _exit(127);
}

bool JoinCgroup(const char* procs_file) {
  const int fd = open(procs_file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool joined = write(fd, "0", 1) == 1;  // 0: the writer itself
  close(fd);
  return joined;
}

/// A copy far above the numbers that the child's own descriptors get.
int MoveUp(int fd) {
  return fcntl(fd, F_DUPFD_CLOEXEC, 10);
}

/// The child's side, up to its program. Async-signal-safe calls only.
[[noreturn]] void BecomeChild(const ChildOptions& options, const Prepared& prepared, pid_t parent,
                              int input_fd, int event_fd, int report_fd) {
  const int report = MoveUp(report_fd);
  const int input = MoveUp(input_fd);
  const int events = MoveUp(event_fd);
  const int output = MoveUp(prepared.output);
  const int error = MoveUp(prepared.error);
  if (report < 0) _exit(127);
  if (std::min({input, events, output, error}) < 0) Fail(report, Step::kDescriptors);

  if (options.own_process_group && setpgid(0, 0) != 0) Fail(report, Step::kGroup);
  for (const auto& path : options.cgroup_procs) {
    if (!JoinCgroup(path.c_str())) Fail(report, Step::kCgroup);
  }
  if (options.user_namespace && setns(*options.user_namespace, CLONE_NEWUSER) != 0) {
    Fail(report, Step::kNamespace);
  }
  if (options.network_namespace && setns(*options.network_namespace, CLONE_NEWNET) != 0) {
    Fail(report, Step::kNamespace);
  }
  if (options.mount_namespace && setns(*options.mount_namespace, CLONE_NEWNS) != 0) {
    Fail(report, Step::kMounts);
  }
  if (!prepared.cpus.empty() &&
      sched_setaffinity(0, prepared.cpus.size() * sizeof(cpu_set_t), prepared.cpus.data()) != 0) {
    Fail(report, Step::kCpus);
  }
  if (!prepared.folder.empty() && chdir(prepared.folder.c_str()) != 0) Fail(report, Step::kFolder);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0 || dup2(events, 3) < 0) {
    Fail(report, Step::kDescriptors);
  }
  // Libraries open descriptors without the close-on-exec mark; the child gets none of them.
  close_range(4, ~0U, CLOSE_RANGE_CLOEXEC);
  if (!DieWithParent(parent)) _exit(127);
  execve(prepared.program.c_str(), prepared.argv.data(), prepared.envp.data());
  Fail(report, Step::kExec);
}

Error Explain(const Failure& failure, const ChildOptions& options, const Prepared& prepared) {
  const std::string& program = options.argv.at(0);
  const std::string cause = ErrnoText(failure.error_number);
  const auto sentence = [&](std::string_view what) {
    return fmt::format("cannot start '{}': {}: {}", program, what, cause);
  };
  switch (failure.step) {
    case Step::kDescriptors:
      return {sentence("its pipes"), "raise the limit of open files (ulimit -n)"};
    case Step::kCgroup:
      return {sentence("joining its cgroup"), "run as root, or leave out the disk limit"};
    case Step::kNamespace:
      return {sentence("joining its network namespace"), "run as root, or leave out --emulate"};
    case Step::kMounts:
      return {sentence("joining its mount namespace"),
              "run as root, or allow user namespaces (sysctl user.max_user_namespaces)"};
    case Step::kCpus:
      return {sentence("its set of cores"), "use cores that this process may run on (taskset -p $$)"};
    case Step::kFolder:
      return {sentence("folder '" + prepared.folder + "'"), "check that the folder exists"};
    case Step::kGroup:
      return {sentence("its process group"), "report this: it is a defect"};
    case Step::kExec:
      break;
  }
  return {fmt::format("cannot start '{}': {}", program, cause),
          "check that the program exists and is executable"};
}

}  // namespace

StartedChild StartChild(const ChildOptions& options) {
  Prepared prepared;
  Prepare(options, prepared);
  Pipe input = MakePipe();
  Pipe events = MakePipe();
  Pipe report = MakePipe();
  const pid_t parent = getpid();
  const pid_t pid = ForkWithoutHandlers();
  if (pid == 0) {
    BecomeChild(options, prepared, parent, input.read_end.get(), events.write_end.get(),
                report.write_end.get());
  }
  report.write_end.Close();
  Failure failure;
  ssize_t count = 0;
  do {
    count = read(report.read_end.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof failure)) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw Explain(failure, options, prepared);
  }
  SetNonblocking(input.write_end.get());
  SetNonblocking(events.read_end.get());
  return {pid, std::move(input.write_end), std::move(events.read_end)};
}

}  // namespace stallscope
