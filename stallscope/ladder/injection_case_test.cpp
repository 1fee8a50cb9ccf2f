#include "stallscope/ladder/injection_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallscope {
namespace {

using testing::HasSubstr;

RoundTimes Baseline() {
  return {{Condition::kSolo, 0.2},    {Condition::kCrowd, 0.21}, {Condition::kNode, 0.3},
          {Condition::kCluster, 0.5}, {Condition::kWarm, 0.52},  {Condition::kCold, 0.53}};
}

InjectionBasis Basis() {
  return {.ranks = 2,
          .bytes_on_wire = 50e6,
          .network_bytes_per_s = 125e6,
          .step_bytes = 400e3,
          .step_device_bytes = 500e3,
          .samples_per_step = 8};
}

TEST(BytesOnWire, TwoRanksSendTheirGradientsOnceWithHeaders) {
  // 2 * (2 - 1) / 2 = 1 time 1448 bytes, in frames of 1514.
  EXPECT_DOUBLE_EQ(BytesOnWire(1448e4, 2), 1514e4);
  // Four ranks: 2 * 3 / 4 = 1.5 times.
  EXPECT_DOUBLE_EQ(BytesOnWire(1448e4, 4), 1.5 * 1514e4);
}

TEST(ExpectedTimes, WithoutAnInjectionAreTheBaseline) {
  EXPECT_EQ(ExpectedTimes({}, Basis(), Baseline(), false), Baseline());
}

TEST(ExpectedTimes, SlowDecodingLengthensWarmAndColdAlone) {
  InjectionCase slow;
  slow.inject.least_sample_s = 0.1;
  RoundTimes wanted = Baseline();
  wanted[Condition::kWarm] = 0.8;  // 8 samples x 0.1 s
  wanted[Condition::kCold] = 0.8;
  EXPECT_EQ(ExpectedTimes(slow, Basis(), Baseline(), false), wanted);
}

TEST(ExpectedTimes, LoadingFasterThanTheNetworkStaysHidden) {
  InjectionCase slow;
  slow.inject.least_sample_s = 0.05;  // 8 x 0.05 s = 0.4 s, less than a cluster step of 0.5 s
  EXPECT_EQ(ExpectedTimes(slow, Basis(), Baseline(), false), Baseline());
}

TEST(ExpectedTimes, SlowStorageLengthensColdAlone) {
  InjectionCase own;
  own.inject.storage_bytes_per_s = 500e3;  // 0.4 MB / 0.5 MB/s = 0.8 s
  EXPECT_DOUBLE_EQ(ExpectedTimes(own, Basis(), Baseline(), false).at(Condition::kCold), 0.8);
  EXPECT_DOUBLE_EQ(ExpectedTimes(own, Basis(), Baseline(), false).at(Condition::kWarm), 0.52);
  InjectionCase shared;
  shared.disk_bytes_per_s = 1e6;  // both ranks' pages, 2 x 0.5 MB, at 1 MB/s
  EXPECT_DOUBLE_EQ(ExpectedTimes(shared, Basis(), Baseline(), false).at(Condition::kCold), 1);
}

TEST(ExpectedTimes, ASlowerNetworkHidesWhatLoadingTook) {
  InjectionCase slow;
  slow.network_bytes_per_s = 62.5e6;  // 50 MB take 0.8 s instead of 0.4 s
  const RoundTimes expected = ExpectedTimes(slow, Basis(), Baseline(), false);
  EXPECT_DOUBLE_EQ(expected.at(Condition::kNode), 0.3);
  EXPECT_DOUBLE_EQ(expected.at(Condition::kCluster), 0.9);
  EXPECT_DOUBLE_EQ(expected.at(Condition::kWarm), 0.9);
  EXPECT_DOUBLE_EQ(expected.at(Condition::kCold), 0.9);
}

TEST(ExpectedTimes, ANodeLinkAsSlowAsTheNetworkLeavesNoNetworkStall) {
  InjectionCase slow;
  slow.node_bytes_per_s = 125e6;
  const RoundTimes expected = ExpectedTimes(slow, Basis(), Baseline(), false);
  EXPECT_DOUBLE_EQ(expected.at(Condition::kNode), expected.at(Condition::kCluster));
}

TEST(ExpectedTimes, ASlowRankHoldsUpItsGroupAndOnlyItselfWhereNobodyWaits) {
  InjectionCase slow;
  slow.inject.slow_rank_s = 0.1;
  const RoundTimes other_turn = ExpectedTimes(slow, Basis(), Baseline(), false);
  EXPECT_DOUBLE_EQ(other_turn.at(Condition::kSolo), 0.2);
  EXPECT_DOUBLE_EQ(other_turn.at(Condition::kCrowd), 0.26);  // half of the ranks take 0.1 s longer
  EXPECT_DOUBLE_EQ(other_turn.at(Condition::kNode), 0.4);
  EXPECT_DOUBLE_EQ(other_turn.at(Condition::kCluster), 0.6);
  EXPECT_DOUBLE_EQ(ExpectedTimes(slow, Basis(), Baseline(), true).at(Condition::kSolo), 0.3);
}

TEST(CasesFor, EveryInjectionBinds) {
  constexpr double kCluster_s = 0.5;
  for (const InjectionCase& injected : CasesFor(Basis(), kCluster_s, true)) {
    EXPECT_NE(ExpectedTimes(injected, Basis(), Baseline(), true), Baseline()) << injected.name;
    EXPECT_NE(ArithmeticOf(injected, Basis()), "as measured") << injected.name;
  }
}

TEST(CasesFor, WithoutACgroupTheDiskIsLeftOut) {
  const auto has_disk = [](const std::vector<InjectionCase>& cases) {
    for (const InjectionCase& injected : cases) {
      if (injected.disk_bytes_per_s) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_disk(CasesFor(Basis(), 0.5, true)));
  EXPECT_FALSE(has_disk(CasesFor(Basis(), 0.5, false)));
}

TEST(ArithmeticOf, ShowsTheNumbersItIsMadeOf) {
  InjectionCase slow;
  slow.inject.least_sample_s = 0.1;
  EXPECT_THAT(ArithmeticOf(slow, Basis()), HasSubstr("8 x 100 ms = 800 ms"));
}

}  // namespace
}  // namespace stallscope
