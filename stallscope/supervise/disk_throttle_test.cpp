#include "stallscope/supervise/disk_throttle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <fstream>

#include "stallscope/supervise/block_device.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

void Put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(BlockDevice, APartitionLeadsToItsDisk) {
  const TemporaryFolder root;
  const fs::path disk = root.path() / "sys/devices/pci0/block/sda";
  Put(disk / "dev", "8:0\n");
  Put(disk / "sda2/dev", "8:2\n");
  Put(disk / "sda2/partition", "2\n");
  fs::create_directories(root.path() / "sys/dev/block");
  fs::create_directory_symlink("../../devices/pci0/block/sda", root.path() / "sys/dev/block/8:0");
  fs::create_directory_symlink("../../devices/pci0/block/sda/sda2", root.path() / "sys/dev/block/8:2");
  EXPECT_EQ(WholeDisk({root.path()}, makedev(8, 2)), "8:0");
  EXPECT_EQ(WholeDisk({root.path()}, makedev(8, 0)), "8:0");
  EXPECT_FALSE(WholeDisk({root.path()}, makedev(0, 27))) << "tmpfs has no disk";
}

TEST(IoController, TheFirstVersionWinsWhereItIsMounted) {
  const TemporaryFolder root;
  Put(root.path() / "proc/self/mounts",
      "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
      "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
      "cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\n");
  Put(root.path() / "sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
  const auto controller = FindIoController({root.path()});
  ASSERT_TRUE(controller);
  EXPECT_EQ(controller->version, 1);
  EXPECT_EQ(controller->folder, "/sys/fs/cgroup/blkio");
}

TEST(IoController, TheSecondVersionCountsOnlyWithItsController) {
  const TemporaryFolder root;
  Put(root.path() / "proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
  const fs::path controllers = root.path() / "sys/fs/cgroup/cgroup.controllers";
  Put(controllers, "cpuset cpu memory pids\n");
  EXPECT_FALSE(FindIoController({root.path()}));
  Put(controllers, "cpuset cpu io\n");
  const auto controller = FindIoController({root.path()});
  ASSERT_TRUE(controller);
  EXPECT_EQ(controller->version, 2);
}

TEST(DiskThrottle, MemoryHasNoDiskToSlow) {
  const auto reason = DiskThrottleUnavailable("/proc");
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, testing::HasSubstr("no disk below '/proc'"));
}

}  // namespace
}  // namespace stallscope
