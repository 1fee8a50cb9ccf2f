#include "stallscope/machine/memory_room.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace stallscope {
namespace {

class MemoryRoomTest : public testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::optional<std::int64_t> Room() const { return MemoryRoom(Root{folder_}); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  std::string template_ = testing::TempDir() + "memory-room-XXXXXX";
  const std::filesystem::path folder_ = mkdtemp(template_.data());
};

TEST_F(MemoryRoomTest, IsWhatTheKernelCallsAvailable) {
  Write("proc/meminfo", "MemTotal:  2000 kB\nMemFree:  100 kB\nMemAvailable:  1500 kB\n");
  EXPECT_EQ(Room(), 1500 * 1024);
}

TEST_F(MemoryRoomTest, IsAbsentWhereItCannotBeRead) {
  EXPECT_EQ(Room(), std::nullopt);
  Write("proc/meminfo", "MemTotal:  2000 kB\nMemAvailable:  many kB\n");
  EXPECT_EQ(Room(), std::nullopt);
}

TEST_F(MemoryRoomTest, ALimitOfAnyCgroupAboveUsBinds) {
  Write("proc/meminfo", "MemAvailable:  1500 kB\n");
  Write("proc/self/cgroup", "0::/a/b\n");
  Write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(Room(), 1500 * 1024);
  Write("sys/fs/cgroup/a/memory.max", "1000000\n");
  EXPECT_EQ(Room(), 1000000);
}

TEST_F(MemoryRoomTest, TheOldCgroupsHaveAFolderOfTheirOwn) {
  Write("proc/meminfo", "MemAvailable:  1500 kB\n");
  Write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n");
  Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "500000\n");
  EXPECT_EQ(Room(), 500000);
}

}  // namespace
}  // namespace stallscope
