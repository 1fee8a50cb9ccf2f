#include "stallscope/ladder/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

Stall Of(const Estimate& seconds) {
  return {.seconds = seconds, .share = {}, .distinguishable = !seconds.HoldsZero()};
}

/// One machine with two devices: solo, crowd, node.
Profile Baseline() {
  Profile profile;
  profile.created = "2026-11-16T15:54:44Z";
  profile.host.name = "amber";
  profile.workload = {.model = "resnet18",
                      .parameters = 11689512,
                      .batch_per_device = 8,
                      .optimizer = "sgd",
                      .dtype = "fp32",
                      .bucket = "25MiB",
                      .image_size = 64};
  profile.cluster = {.nodes = 1, .devices_per_node = 2, .device = "cpu", .backend = "gloo"};
  profile.conditions["solo"].step_time_s = {0.25, 0.24, 0.26};
  profile.conditions["crowd"].step_time_s = {0.26, 0.25, 0.27};
  profile.conditions["node"].step_time_s = {0.40, 0.37, 0.43};
  profile.absent = {{"cluster", "one machine"}, {"warm", "no --data"}, {"cold", "no --data"}};
  profile.stalls.compute = Of({0.25, 0.24, 0.26});
  profile.stalls.interconnect = Of({0.15, 0.12, 0.18});
  profile.stalls.contention = Of({0.01, -0.01, 0.03});
  profile.stalls.communication = Of({0.14, 0.11, 0.17});
  profile.step_time_s = {0.40, 0.37, 0.43};
  return profile;
}

ComparedProfile Against(const Profile& baseline, const Profile& other) {
  return Compare({baseline, other}, {"a.json", "b.json"}).others.at(0);
}

const ComparedTime& StallOf(const ComparedProfile& compared, const std::string& name) {
  for (const ComparedStall& stall : compared.stalls) {
    if (stall.name == name) return stall.time;
  }
  throw std::out_of_range(name);
}

TEST(Compare, TheTotalIsOtherLessBaselineAndRelativeToTheBaseline) {
  Profile other = Baseline();
  other.conditions["node"].step_time_s = {0.60, 0.56, 0.64};
  const ComparedProfile compared = Against(Baseline(), other);
  EXPECT_EQ(compared.total_of, "node");
  // 0.60 - 0.40; half-widths 0.03 and 0.04 make 0.05.
  EXPECT_NEAR(compared.total.difference_s->mean, 0.20, 1e-12);
  EXPECT_NEAR(compared.total.difference_s->low, 0.15, 1e-12);
  EXPECT_NEAR(compared.total.difference_s->high, 0.25, 1e-12);
  EXPECT_NEAR(compared.total.relative->mean, 0.20 / 0.40, 1e-12);
  EXPECT_NEAR(compared.total.relative->low, 0.15 / 0.40, 1e-12);
  EXPECT_EQ(compared.total.verdict, Change::kWorse);
  EXPECT_EQ(Against(other, Baseline()).total.verdict, Change::kBetter);
}

TEST(Compare, AProfileIsIndistinguishableFromItselfInEveryNumber) {
  const ComparedProfile compared = Against(Baseline(), Baseline());
  EXPECT_EQ(compared.total.verdict, Change::kIndistinguishable);
  ASSERT_EQ(compared.stalls.size(), 4U);
  for (const ComparedStall& stall : compared.stalls) {
    EXPECT_EQ(stall.time.verdict, Change::kIndistinguishable) << stall.name;
    EXPECT_EQ(stall.time.difference_s->mean, 0) << stall.name;
  }
  EXPECT_TRUE(compared.notes.empty());
}

TEST(Compare, EveryStallIsComparedByItselfAndTheSharesAddUp) {
  Profile other = Baseline();
  other.stalls.compute = Of({0.20, 0.19, 0.21});
  other.stalls.interconnect = Of({0.25, 0.22, 0.28});
  other.conditions["node"].step_time_s = {0.45, 0.42, 0.48};
  const ComparedProfile compared = Against(Baseline(), other);
  EXPECT_EQ(StallOf(compared, "compute").verdict, Change::kBetter);
  EXPECT_EQ(StallOf(compared, "interconnect").verdict, Change::kWorse);
  EXPECT_EQ(StallOf(compared, "contention").verdict, Change::kIndistinguishable);
  EXPECT_EQ(compared.stalls[2].part_of, "interconnect");
  // -0.05 + 0.10 = 0.05, all over 0.40.
  EXPECT_NEAR(StallOf(compared, "compute").relative->mean + StallOf(compared, "interconnect").relative->mean,
              compared.total.relative->mean, 1e-12);
}

TEST(Compare, AStallOfOneProfileAloneIsNotComparableWithTheReason) {
  Profile other = Baseline();
  other.conditions["cluster"].step_time_s = {0.9, 0.8, 1.0};
  other.stalls.network = Of({0.5, 0.4, 0.6});
  const ComparedProfile compared = Against(Baseline(), other);
  const ComparedTime& network = StallOf(compared, "network");
  EXPECT_EQ(network.verdict, Change::kNotComparable);
  EXPECT_EQ(network.reason, "a.json has none (one machine)");
  EXPECT_FALSE(network.baseline_s);
  EXPECT_DOUBLE_EQ(network.other_s->mean, 0.5);
  EXPECT_FALSE(network.difference_s);
  // The other's cluster is compared with nothing: the highest rung of both is node.
  EXPECT_EQ(compared.total_of, "node");
  EXPECT_EQ(compared.total.verdict, Change::kIndistinguishable);
}

TEST(Compare, StallsBetweenOtherRungsAreNotComparable) {
  Profile other = Baseline();
  other.conditions.erase("solo");
  other.stalls.compute = Of({0.26, 0.25, 0.27});
  other.stalls.interconnect = other.stalls.communication;
  other.stalls.contention.reset();
  const ComparedProfile compared = Against(Baseline(), other);
  EXPECT_EQ(StallOf(compared, "compute").reason, "it is solo in a.json, and crowd in b.json");
  EXPECT_EQ(StallOf(compared, "interconnect").reason,
            "it is solo to node in a.json, and crowd to node in b.json");
  EXPECT_EQ(StallOf(compared, "contention").reason, "b.json has none");
  EXPECT_EQ(StallOf(compared, "communication").verdict, Change::kIndistinguishable);
}

TEST(Compare, TheSteadyStateCountsWhereBothHaveOne) {
  Profile first = Baseline();
  first.steady_state = SteadyState{.step_time_s = {0.5, 0.49, 0.51}, .stalls = first.stalls};
  first.steady_state->stalls.prep = Of({0.1, 0.09, 0.11});
  Profile second = first;
  second.steady_state->step_time_s = {0.45, 0.44, 0.46};
  second.steady_state->stalls.prep = Of({0.05, 0.04, 0.06});
  const ComparedProfile both = Against(first, second);
  EXPECT_EQ(both.total_of, "steady_state");
  EXPECT_NEAR(both.total.relative->mean, -0.05 / 0.5, 1e-12);
  EXPECT_NEAR(StallOf(both, "prep").relative->mean, -0.05 / 0.5, 1e-12);
  const ComparedProfile one = Against(first, Baseline());
  EXPECT_EQ(one.total_of, "node");
  EXPECT_THAT(one.notes,
              testing::ElementsAre("Only a.json has a steady state: step times are those of the rung node."));
}

TEST(Compare, WithoutACommonRungThereIsNoTotal) {
  Profile other = Baseline();
  other.conditions = {{"cluster", {}}};
  other.stalls = {};
  const ComparedProfile compared = Against(Baseline(), other);
  EXPECT_FALSE(compared.total_of);
  EXPECT_EQ(compared.total.verdict, Change::kNotComparable);
  EXPECT_EQ(compared.total.reason, "a.json and b.json have no rung of the ladder in common");
  EXPECT_EQ(StallOf(compared, "compute").verdict, Change::kNotComparable);
}

TEST(Compare, WhateverDiffersInTheWorkloadIsSaidInASentence) {
  Profile other = Baseline();
  other.workload.model = "resnet50";
  other.workload.parameters = 25557032;
  other.workload.batch_per_device = 16;
  other.workload.accumulate = 2;
  other.workload.dtype = "bf16";
  other.workload.bucket = "tensor";
  other.workload.image_size.reset();
  other.workload.dataset = DatasetInfo{"/data", "images", 2000, 5000};
  other.cluster.nodes = 2;
  other.cluster.emulated = true;
  other.cluster.emulated_bandwidth_bytes_per_s = 1.25e8;
  EXPECT_THAT(
      Against(Baseline(), other).notes,
      testing::ElementsAre(
          "The model differs: resnet18 in a.json, resnet50 in b.json.",
          "The batch per device differs: 8 in a.json, 16 in b.json.",
          "The accumulation differs: 1 in a.json, 2 in b.json.",
          "The number format differs: fp32 in a.json, bf16 in b.json.",
          "The bucket size differs: 25MiB in a.json, tensor in b.json.",
          "The image size differs: 64 in a.json, none in b.json.",
          "The data set differs: none in a.json, 2000 images in 5000 bytes in b.json.",
          "The set of devices differs: 1 machine with 2 cpu devices in a.json, 2 machines with 2 cpu devices "
          "each in b.json.",
          "The kind of machine differs: real machines in a.json, emulated machines with a link of 125 MB/s "
          "in "
          "b.json."));
}

TEST(Compare, TheSameDataInAnotherFolderIsTheSameData) {
  Profile first = Baseline();
  first.workload.dataset = DatasetInfo{"/data/a", "images", 2000, 5000};
  Profile second = Baseline();
  second.workload.dataset = DatasetInfo{"/mnt/b", "images", 2000, 5000};
  EXPECT_TRUE(Against(first, second).notes.empty());
}

TEST(Compare, ABaselineWithoutLengthHasNoShares) {
  Profile empty = Baseline();
  empty.conditions["node"].step_time_s = {0, 0, 0};
  const ComparedProfile compared = Against(empty, Baseline());
  EXPECT_TRUE(compared.total.difference_s);
  EXPECT_FALSE(compared.total.relative);
}

TEST(Compare, OneProfileAloneIsRefused) {
  EXPECT_THROW(Compare({Baseline()}, {"a.json"}), UsageError);
  EXPECT_THROW(Compare({}, {}), UsageError);
}

}  // namespace
}  // namespace stallscope
