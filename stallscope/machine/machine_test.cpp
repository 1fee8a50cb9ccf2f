#include <gtest/gtest.h>

#include "stallscope/machine/cpu_load.h"
#include "stallscope/machine/host.h"

namespace stallscope {
namespace {

Root Recorded(const std::string& name) {
  return {std::filesystem::path(__FILE__).parent_path() / "../../tests/roots" / name};
}

TEST(CpuLoad, BusyIsWhatIsNeitherIdleNorWaitingNorStolen) {
  const auto load = ReadCpuLoad(Recorded("workstation"));
  ASSERT_TRUE(load);
  // user 5320 + nice 10 + system 4361 + irq 4 + softirq 144 = 9839 ticks of 10 ms; guest is in user.
  EXPECT_DOUBLE_EQ(load->busy_s, 98.39);
  EXPECT_DOUBLE_EQ(load->steal_s, 3.46);
  EXPECT_DOUBLE_EQ(load->interrupts_s, 1.48);  // irq and softirq
}

TEST(CpuLoad, ABrokenOrMissingFileIsAbsence) {
  EXPECT_FALSE(ReadCpuLoad(Recorded("vm-malformed")));
  EXPECT_FALSE(ReadCpuLoad(Recorded("no-such-machine")));
}

TEST(CpuLoad, ThisMachineHasOne) {
  EXPECT_TRUE(ReadCpuLoad(Root{}));
}

TEST(Host, AWorkstationIsReadWhole) {
  const HostInfo host = ReadHost(Recorded("workstation"));
  EXPECT_EQ(host.name, "amber");
  EXPECT_EQ(host.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(host.cpu, "AMD Ryzen 7 5800X 8-Core Processor");
  EXPECT_EQ(host.cores, 2);
  EXPECT_EQ(host.memory_bytes, std::int64_t{32809324} * 1024);
  EXPECT_TRUE(HasNvidiaGpu(Recorded("workstation")));
}

TEST(Host, AnArmCpuIsNamedByItsNumbers) {
  const HostInfo host = ReadHost(Recorded("arm-cloud"));
  EXPECT_EQ(host.cpu, "Arm implementer 0x41 part 0xd0c");
  EXPECT_EQ(host.cores, 3);
  EXPECT_FALSE(HasNvidiaGpu(Recorded("arm-cloud")));
}

TEST(Host, WhatCannotBeReadIsAbsentNotZero) {
  for (const char* name : {"vm-malformed", "no-such-machine"}) {
    const HostInfo host = ReadHost(Recorded(name));
    EXPECT_FALSE(host.cpu) << name;
    EXPECT_FALSE(host.cores) << name;
    EXPECT_FALSE(host.memory_bytes) << name;
  }
}

}  // namespace
}  // namespace stallscope
