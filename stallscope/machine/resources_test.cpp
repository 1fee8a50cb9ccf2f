#include "stallscope/machine/resources.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

Root Recorded(const std::string& name) {
  return {std::filesystem::path(__FILE__).parent_path() / "../../tests/roots" / name};
}

TEST(Resources, ASampleCarriesItsTimeAndTheCpuTimeOfAllProcesses) {
  const ResourceSample sample = ReadResources(Recorded("workstation"), 12.5);
  EXPECT_EQ(sample.time_s, 12.5);
  EXPECT_DOUBLE_EQ(*sample.cpu_busy_s, 98.39);
}

TEST(Resources, SharedMemoryIsUsedMemoryAndNoPageCache) {
  const ResourceSample sample = ReadResources(Recorded("workstation"), 0);
  // Cached 8217640 + Buffers 402116 - Shmem 310296 = 8309460 KiB.
  EXPECT_EQ(*sample.page_cache_bytes, 8309460.0 * 1024);
  // MemTotal 32809324 - MemFree 20114872 - 8309460 = 4384992 KiB.
  EXPECT_EQ(*sample.memory_used_bytes, 4384992.0 * 1024);
}

TEST(Resources, DisksCountOnceWhateverIsStackedOnThem) {
  const ResourceSample sample = ReadResources(Recorded("workstation"), 0);
  // nvme0n1 and sda; neither their partitions nor dm-0 on one of them, loop0, ram0 and zram0.
  EXPECT_EQ(*sample.disk_read_bytes, (9120344.0 + 400000) * 512);
  EXPECT_EQ(*sample.disk_written_bytes, (6204016.0 + 80000) * 512);
}

TEST(Resources, TheNetworkIsEveryInterfaceButLoopback) {
  const ResourceSample sample = ReadResources(Recorded("workstation"), 0);
  // enp5s0 and wlan0, whose number touches the colon.
  EXPECT_EQ(*sample.network_received_bytes, 7340032000.0 + 1048576);
  EXPECT_EQ(*sample.network_sent_bytes, 210763776.0 + 524288);
}

TEST(Resources, OldKernelsHaveFewerColumnsAndFewerLines) {
  const ResourceSample sample = ReadResources(Recorded("arm-cloud"), 0);
  EXPECT_EQ(*sample.disk_read_bytes, 1640000.0 * 512);
  EXPECT_EQ(*sample.disk_written_bytes, 820000.0 * 512);
  // Without Shmem nobody knows how much of Cached could be dropped.
  EXPECT_FALSE(sample.page_cache_bytes);
  EXPECT_FALSE(sample.memory_used_bytes);
  // Only lo is there, so nothing came from elsewhere.
  EXPECT_EQ(sample.network_received_bytes, 0.0);
}

TEST(Resources, WhatCannotBeReadIsAbsentNotZero) {
  for (const char* name : {"vm-malformed", "no-such-machine"}) {
    const ResourceSample sample = ReadResources(Recorded(name), 0);
    EXPECT_FALSE(sample.cpu_busy_s) << name;
    EXPECT_FALSE(sample.memory_used_bytes) << name;
    EXPECT_FALSE(sample.page_cache_bytes) << name;
    EXPECT_FALSE(sample.disk_read_bytes) << name;
    EXPECT_FALSE(sample.disk_written_bytes) << name;
    EXPECT_FALSE(sample.network_received_bytes) << name;
    EXPECT_FALSE(sample.network_sent_bytes) << name;
  }
}

TEST(Resources, ThisMachineHasMemoryAndCpuTime) {
  const ResourceSample sample = ReadResources(Root{}, 0);
  EXPECT_GT(sample.cpu_busy_s.value_or(0), 0);
  EXPECT_GT(sample.memory_used_bytes.value_or(0), 0);
}

}  // namespace
}  // namespace stallscope
