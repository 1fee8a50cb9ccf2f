#include "stallscope/machine/cloud.h"

#include <gtest/gtest.h>

#include "stallscope/machine/interfaces.h"

namespace stallscope {
namespace {

Root Recorded(const std::string& name) {
  return {std::filesystem::path(__FILE__).parent_path() / "../../tests/roots" / name};
}

TEST(Cloud, AmazonWritesTheInstanceIntoTheProductName) {
  const auto cloud = RecogniseCloud(Recorded("aws"));
  EXPECT_EQ(cloud.value().provider, "aws");
  EXPECT_EQ(cloud.value().instance, "p4d.24xlarge");
  EXPECT_EQ(cloud.value().evidence, "sys/class/dmi/id/sys_vendor is 'Amazon EC2'");
}

TEST(Cloud, AmazonsOlderInstancesAreKnownByTheirIdentifierWhichStaysOut) {
  const auto cloud = RecogniseCloud(Recorded("aws-xen"));
  EXPECT_EQ(cloud.value().provider, "aws");
  EXPECT_FALSE(cloud.value().instance);
  EXPECT_EQ(cloud.value().evidence, "sys/class/dmi/id/product_uuid begins with 'ec2'");
}

TEST(Cloud, GoogleAndMicrosoftAreRecognisedWithoutAnInstance) {
  EXPECT_EQ(RecogniseCloud(Recorded("gcp")).value().provider, "gcp");
  EXPECT_FALSE(RecogniseCloud(Recorded("gcp")).value().instance);
  EXPECT_EQ(RecogniseCloud(Recorded("azure")).value().provider, "azure");
  EXPECT_FALSE(RecogniseCloud(Recorded("azure")).value().instance);
}

TEST(Cloud, AMachineOfOnesOwnOrWithoutFirmwareNamesIsNoCloud) {
  EXPECT_FALSE(RecogniseCloud(Recorded("bare-metal")));
  EXPECT_FALSE(RecogniseCloud(Recorded("workstation")));
  EXPECT_FALSE(RecogniseCloud(Recorded("no-such-machine")));
}

TEST(Interfaces, EachHasItsSpeedDriverStateAndKindAndLoopbackIsNone) {
  const std::vector<InterfaceFacts> found = ReadInterfaces(Recorded("bare-metal"));
  ASSERT_EQ(found.size(), 4U);  // bonding_masters is a file, lo is loopback
  EXPECT_EQ(found[0].name, "docker0");
  EXPECT_TRUE(found[0].is_virtual);
  EXPECT_FALSE(found[0].driver);
  EXPECT_EQ(found[1].name, "enp59s0f0");
  EXPECT_EQ(found[1].bytes_per_s, 12.5e9);  // 100 Gbit
  EXPECT_EQ(found[1].mtu, 9000);
  EXPECT_EQ(found[1].driver, "mlx5_core");
  EXPECT_EQ(found[1].state, "up");
  EXPECT_FALSE(found[1].is_virtual);
  EXPECT_EQ(found[2].state, "down");
  EXPECT_FALSE(found[2].bytes_per_s);  // the kernel says -1
  EXPECT_EQ(found[3].name, "ib0");
}

TEST(Interfaces, ASpeedThatTheDriverDoesNotTellIsAbsent) {
  const std::vector<InterfaceFacts> found = ReadInterfaces(Recorded("aws"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].bytes_per_s);
  EXPECT_EQ(found[0].driver, "ena");
  EXPECT_TRUE(ReadInterfaces(Recorded("no-such-machine")).empty());
}

}  // namespace
}  // namespace stallscope
