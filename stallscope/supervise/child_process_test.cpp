#include "stallscope/supervise/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/cpu_sets.h"
#include "stallscope/supervise/line_buffer.h"
#include "stallscope/supervise/log_tail.h"
#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// For whatever must happen: far beyond what a loaded machine needs.
constexpr Seconds kPatience(20);

ChildOptions Shell(const std::string& script) {
  ChildOptions options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

/// The next line from the child's descriptor 3.
std::string NextEvent(ChildProcess& child, LineBuffer& lines) {
  while (true) {
    if (const auto line = lines.Next()) return *line;
    if (!WaitReady(child.event_fd(), POLLIN, kPatience.count())) return "nothing came";
    if (!lines.ReadFrom(child.event_fd())) return lines.Next().value_or("the end");
  }
}

std::string Complaint(const ChildOptions& options) {
  try {
    const ChildProcess child(options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  return "none";
}

TEST(ChildProcess, LinesGoBothWays) {
  ChildProcess child(Shell("while read line; do echo \"got $line\" >&3; done; exit 3"));
  LineBuffer lines;
  EXPECT_TRUE(child.SendLine("one"));
  EXPECT_EQ(NextEvent(child, lines), "got one");
  EXPECT_TRUE(child.SendLine("two"));
  EXPECT_EQ(NextEvent(child, lines), "got two");
  EXPECT_FALSE(child.Poll());
  child.CloseInput();
  const auto status = child.Wait(kPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->Text(), "exit code 3");
  EXPECT_EQ(NextEvent(child, lines), "the end");
}

TEST(ChildProcess, KnowsWhetherItWasStopped) {
  ChildProcess child(Shell("read line"));
  EXPECT_FALSE(child.IsStopped());
  child.Signal(SIGSTOP);
  const double begin = MonotonicSeconds();
  while (!child.IsStopped() && MonotonicSeconds() - begin < kPatience.count()) usleep(1000);
  EXPECT_TRUE(child.IsStopped());
  EXPECT_TRUE(child.IsStopped()) << "asking changes nothing";
  child.Signal(SIGCONT);
  while (child.IsStopped() && MonotonicSeconds() - begin < kPatience.count()) usleep(1000);
  EXPECT_FALSE(child.IsStopped());
  child.CloseInput();
  ASSERT_TRUE(child.Wait(kPatience));
  EXPECT_FALSE(child.IsStopped());
}

TEST(ChildProcess, OutputAndErrorsGoToTheLog) {
  const TemporaryFolder folder;
  ChildOptions options = Shell("echo first; echo second >&2; echo third");
  options.log_file = folder.path() / "rank0.log";
  ChildProcess child(options);
  ASSERT_TRUE(child.Wait(kPatience));
  EXPECT_THAT(LastLines(options.log_file, 10), ElementsAre("first", "second", "third"));
  EXPECT_THAT(LastLines(options.log_file, 2), ElementsAre("second", "third"));
}

TEST(LogTail, OfAHugeLogOnlyWholeLastLinesAreGiven) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log";
  std::ofstream file(path);
  for (int i = 0; i < 20000; ++i) file << "line " << i << '\n';
  file << "no line feed";
  file.close();
  EXPECT_THAT(LastLines(path, 3), ElementsAre("line 19998", "line 19999", "no line feed"));
  for (const std::string& line : LastLines(path, 1'000'000)) {
    ASSERT_TRUE(line.starts_with("line ") || line == "no line feed") << line;
  }
  EXPECT_TRUE(LastLines(folder.path() / "absent", 3).empty());
}

TEST(ChildProcess, AMissingProgramIsNamed) {
  ChildOptions options;
  options.argv = {"no-such-program-of-stallscope"};
  EXPECT_EQ(Complaint(options), "cannot start 'no-such-program-of-stallscope': No such file or directory");
  options.argv = {"/etc/passwd"};
  EXPECT_EQ(Complaint(options), "cannot start '/etc/passwd': Permission denied");
}

TEST(ChildProcess, AMissingFolderOrCgroupIsNamed) {
  ChildOptions options = Shell("true");
  options.working_folder = "/no/such/folder";
  EXPECT_THAT(Complaint(options), HasSubstr("folder '/no/such/folder': No such file"));
  options = Shell("true");
  options.cgroup_procs = {"/no/such/cgroup.procs"};
  EXPECT_THAT(Complaint(options), HasSubstr("joining its cgroup: No such file"));
  options = Shell("true");
  options.log_file = "/no/such/log";
  EXPECT_THAT(Complaint(options), HasSubstr("cannot write log '/no/such/log'"));
}

TEST(ChildProcess, SurroundingsAreAsAsked) {
  const TemporaryFolder folder;
  setenv("STALLSCOPE_TEST_GONE", "1", 1);
  ChildOptions options = Shell("echo \"$STALLSCOPE_TEST_NEW ${STALLSCOPE_TEST_GONE-unset} $(pwd -P)\" >&3");
  options.set_environment = {{"STALLSCOPE_TEST_NEW", "a b"}};
  options.unset_environment = {"STALLSCOPE_TEST_GONE"};
  options.working_folder = folder.path();
  ChildProcess child(options);
  LineBuffer lines;
  EXPECT_EQ(NextEvent(child, lines), "a b unset " + std::filesystem::canonical(folder.path()).string());
  unsetenv("STALLSCOPE_TEST_GONE");
}

TEST(ChildProcess, RunsOnItsOwnCores) {
  const int core = AllowedCpus().back();
  ChildOptions options = Shell("grep Cpus_allowed_list /proc/self/status >&3");
  options.cpus = {core};
  ChildProcess child(options);
  LineBuffer lines;
  EXPECT_EQ(NextEvent(child, lines), "Cpus_allowed_list:\t" + std::to_string(core));
}

TEST(ChildProcess, InheritsNoDescriptorBeyondItsFour) {
  // Opened without close-on-exec, as a library might.
  const FileDescriptor leaked(fcntl(STDERR_FILENO, F_DUPFD, 50));
  ASSERT_TRUE(leaked.valid());
  ChildOptions options;
  // The shell's builtins only: a program such as ls would open descriptors of its own.
  options.argv = {"/bin/sh", "-c", "for f in /proc/$$/fd/*; do printf '%s ' ${f##*/} >&3; done; echo >&3"};
  ChildProcess child(options);
  LineBuffer lines;
  const std::string all = NextEvent(child, lines);
  EXPECT_THAT(all, testing::StartsWith("0 1 2 3 "));
  EXPECT_THAT(all, testing::Not(HasSubstr(" " + std::to_string(leaked.get()) + " ")));
}

TEST(ChildProcess, ALineForADeadChildIsFalseAndNoSignal) {
  ChildProcess child(Shell("exit 0"));
  ASSERT_TRUE(child.Wait(kPatience));
  EXPECT_FALSE(child.SendLine("anybody?"));
}

TEST(ChildProcess, AStoppedChildIsKilledWhenTheGraceIsOver) {
  // With a handler that cannot run: SIGTERM alone would kill a stopped process that has none.
  ChildProcess child(Shell("trap 'exit 0' TERM; echo ready >&3; while :; do sleep 0.02; done"));
  LineBuffer lines;
  ASSERT_EQ(NextEvent(child, lines), "ready");
  kill(child.pid(), SIGSTOP);
  EXPECT_EQ(child.Terminate(Seconds(0.1)).Text(), "signal 9 (Killed)");
  EXPECT_NE(kill(child.pid(), 0), 0);
}

TEST(ChildProcess, ATerminatedChildMayEndInItsOwnWay) {
  ChildProcess child(Shell("trap 'exit 7' TERM; echo ready >&3; while :; do sleep 0.02; done"));
  LineBuffer lines;
  ASSERT_EQ(NextEvent(child, lines), "ready");
  EXPECT_EQ(child.Terminate(kPatience).Text(), "exit code 7");
}

TEST(ChildProcess, SeveralShareOneGrace) {
  std::vector<ChildProcess> children;
  children.reserve(3);
  for (int i = 0; i < 3; ++i) children.emplace_back(Shell("trap '' TERM; echo ready >&3; sleep 100"));
  for (ChildProcess& child : children) {
    LineBuffer lines;
    ASSERT_EQ(NextEvent(child, lines), "ready");
  }
  TerminateAll(children, Seconds(0.1));
  for (ChildProcess& child : children) EXPECT_EQ(child.Poll()->signal, SIGKILL);
}

TEST(ChildProcess, ItsDescendantsEndWithIt) {
  ChildProcess child(Shell("sleep 100 & echo $! >&3; exit 0"));
  LineBuffer lines;
  const pid_t descendant = std::stoi(NextEvent(child, lines));
  ASSERT_TRUE(child.Wait(kPatience));
  EXPECT_TRUE(VanishesSoon(descendant));
}

TEST(ChildProcess, TheDestructorLeavesNothing) {
  pid_t pid = 0;
  {
    ChildProcess child(Shell("sleep 100"));
    pid = child.pid();
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(ChildProcess, DiesWithItsKilledParent) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    static ChildProcess child(Shell("exec sleep 100"));  // one process: no watchdog looks after others
    tell(std::to_string(child.pid()));
  });
  const pid_t child = std::stoi(owner.Hear());
  EXPECT_EQ(kill(child, 0), 0);
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(child));
}

TEST(ChildProcess, ItsDescendantsAreKilledByTheWatchdogIfWeAre) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    static Watchdog watchdog;
    ChildOptions options = Shell("sleep 100 & echo $! >&3; wait");
    options.watchdog = &watchdog;
    static ChildProcess child(options);
    LineBuffer lines;
    tell(NextEvent(child, lines));
  });
  const pid_t descendant = std::stoi(owner.Hear());
  EXPECT_EQ(kill(descendant, 0), 0);
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(descendant));
}

TEST(ExitStatus, SignalsHaveNames) {
  ChildProcess child(Shell("kill -SEGV $$"));
  EXPECT_EQ(child.Wait(kPatience)->Text(), "signal 11 (Segmentation fault)");
}

}  // namespace
}  // namespace stallscope
