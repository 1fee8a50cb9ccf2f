#include "stallscope/ladder/reference.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Two machines with two devices each.
Profile Cluster() {
  Profile profile;
  profile.workload = {.model = "resnet18", .batch_per_device = 8, .dtype = "fp32", .image_size = 64};
  profile.cluster = {.nodes = 2, .devices_per_node = 2, .device = "cpu", .backend = "gloo"};
  profile.conditions["node"].step_time_s = {0.30, 0.29, 0.31};
  profile.conditions["cluster"].step_time_s = {0.50, 0.47, 0.53};
  return profile;
}

/// One machine with four devices.
Profile BigMachine() {
  Profile profile = Cluster();
  profile.cluster.nodes = 1;
  profile.cluster.devices_per_node = 4;
  profile.conditions.erase("cluster");
  profile.conditions["node"].step_time_s = {0.40, 0.36, 0.44};
  return profile;
}

std::string Complaint(const Profile& mine, const Profile& other) {
  try {
    ReferenceNetworkStall(mine, other, "big.json");
  } catch (const UsageError& error) {
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  return "";
}

TEST(Reference, TheNetworkStallIsThisClusterLessTheOthersNode) {
  const ReferenceInfo reference = ReferenceNetworkStall(Cluster(), BigMachine(), "big.json");
  EXPECT_EQ(reference.file, "big.json");
  EXPECT_DOUBLE_EQ(reference.node_step_time_s.mean, 0.40);
  // 0.50 - 0.40; half-widths 0.03 and 0.04 make 0.05.
  EXPECT_NEAR(reference.network.seconds.mean, 0.10, 1e-12);
  EXPECT_NEAR(reference.network.seconds.low, 0.05, 1e-12);
  EXPECT_NEAR(reference.network.seconds.high, 0.15, 1e-12);
  // Of this cluster's 0.50.
  EXPECT_NEAR(reference.network.share.mean, 0.2, 1e-12);
  EXPECT_NEAR(reference.network.share.low, 0.1, 1e-12);
  EXPECT_TRUE(reference.network.distinguishable);
}

TEST(Reference, ADifferenceWhoseIntervalHoldsZeroSaysSo) {
  Profile other = BigMachine();
  other.conditions["node"].step_time_s = {0.48, 0.44, 0.52};
  // 0.02 with a half-width of 0.05.
  EXPECT_FALSE(ReferenceNetworkStall(Cluster(), other, "big.json").network.distinguishable);
}

TEST(Reference, AnEmulatedNodeHoldsTheDevicesOfAllItsMachines) {
  Profile other = Cluster();
  other.cluster.emulated = true;  // 2 x 2 devices on one host: its node reduces over 4
  EXPECT_DOUBLE_EQ(ReferenceNetworkStall(Cluster(), other, "big.json").node_step_time_s.mean, 0.30);
}

TEST(Reference, AMissingRungIsNamed) {
  EXPECT_EQ(Complaint(BigMachine(), BigMachine()),
            "--reference needs the rung cluster, which this profile does not have");
  Profile other = BigMachine();
  other.conditions.erase("node");
  EXPECT_EQ(Complaint(Cluster(), other), "big.json cannot be the reference: it does not have the rung node");
}

TEST(Reference, AnotherNumberOfDevicesIsRefused) {
  Profile other = BigMachine();
  other.cluster.devices_per_node = 8;
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its node has 8 devices, and this cluster 4");
  // A real cluster's node rung is one machine's.
  EXPECT_EQ(Complaint(Cluster(), Cluster()),
            "big.json cannot be the reference: its node has 2 devices, and this cluster 4");
}

TEST(Reference, AnotherWorkloadIsRefused) {
  Profile other = BigMachine();
  other.workload.model = "resnet50";
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its model is resnet50, and here it is resnet18");
  other = BigMachine();
  other.workload.batch_per_device = 16;
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its batch per device is 16, and here it is 8");
  other = BigMachine();
  other.workload.accumulate = 2;
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its accumulation is 2, and here it is 1");
  other = BigMachine();
  other.workload.dtype = "bf16";
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its number format is bf16, and here it is fp32");
  other = BigMachine();
  other.workload.image_size.reset();
  EXPECT_EQ(Complaint(Cluster(), other),
            "big.json cannot be the reference: its image size is unknown, and here it is 64");
}

}  // namespace
}  // namespace stallscope
