#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/disk_throttle.h"
#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

class DiskThrottleLab : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = DiskThrottleUnavailable(folder_.path())) GTEST_SKIP() << *reason;
  }

  TemporaryFolder folder_;
};

constexpr std::size_t kBytes = 8'000'000;

/// A file that is on the disk and not in memory.
void WriteCold(const fs::path& path) {
  const FileDescriptor fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const std::vector<char> bytes(kBytes, 'x');
  ASSERT_EQ(write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(kBytes));
  ASSERT_EQ(fdatasync(fd.get()), 0);
  ASSERT_EQ(posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
}

TEST_F(DiskThrottleLab, AMemberReadsNoFasterThanTheRate) {
  const fs::path file = folder_.path() / "data";
  WriteCold(file);
  DiskThrottle throttle(folder_.path(), BytesPerSecond{4e6});
  ChildOptions options;
  options.argv = {"dd", "if=" + file.string(), "of=/dev/null", "bs=256k"};
  options.cgroup_procs = {throttle.cgroup_procs()};
  const double start = MonotonicSeconds();
  ChildProcess child(options);
  ASSERT_TRUE(child.Wait(Seconds(60)));
  // 8 MB at 4 MB/s take 2 s; the kernel may give some tenths of a second in advance.
  EXPECT_GE(MonotonicSeconds() - start, 1.0);
}

TEST_F(DiskThrottleLab, AMemberThatStillRunsIsSetFree) {
  ChildOptions options;
  options.argv = {"sleep", "100"};
  std::optional<DiskThrottle> throttle(std::in_place, folder_.path(), BytesPerSecond{1e6});
  options.cgroup_procs = {throttle->cgroup_procs()};
  ChildProcess child(options);
  const fs::path folder = throttle->folder();
  EXPECT_TRUE(fs::exists(folder));
  throttle.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(child.Poll());
}

TEST_F(DiskThrottleLab, ARateOfZeroIsNoWayToSayUnlimited) {
  EXPECT_THROW(DiskThrottle(folder_.path(), BytesPerSecond{0}), UsageError);
  DiskThrottle throttle(folder_.path(), BytesPerSecond{1e6});
  EXPECT_THROW(throttle.SetRate(BytesPerSecond{0}), UsageError);
  throttle.SetRate(BytesPerSecond{2e6});
}

TEST_F(DiskThrottleLab, NothingIsLeftAfterItsOwnerIsKilled) {
  OwnerProcess owner([this](const OwnerProcess::Tell& tell) {
    static Watchdog watchdog;
    static DiskThrottle throttle(folder_.path(), BytesPerSecond{1e6}, &watchdog);
    ChildOptions options;
    options.argv = {"sh", "-c", "sleep 100 & echo $! >&3; wait"};
    options.cgroup_procs = {throttle.cgroup_procs()};
    static ChildProcess child(options);
    std::string member;
    char letter = 0;
    WaitReady(child.event_fd(), POLLIN, 20);
    while (read(child.event_fd(), &letter, 1) == 1 && letter != '\n') member += letter;
    tell(throttle.folder());
    tell(member);
  });
  const fs::path cgroup = owner.Hear();
  const pid_t member = std::stoi(owner.Hear());
  EXPECT_TRUE(fs::exists(cgroup));
  EXPECT_TRUE(IsRunning(member));
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(member));
  EXPECT_TRUE(VanishesSoon(cgroup));
}

}  // namespace
}  // namespace stallscope
