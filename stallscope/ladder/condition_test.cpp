#include "stallscope/ladder/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using testing::ElementsAre;

std::vector<std::string> Reasons(const Rungs& rungs) {
  std::vector<std::string> reasons;
  for (const AbsentCondition& absent : rungs.absent)
    reasons.push_back(absent.condition + ": " + absent.reason);
  return reasons;
}

TEST(Condition, NamesGoBothWays) {
  for (const std::string& name : ConditionNames()) EXPECT_EQ(ConditionName(ParseCondition(name)), name);
  EXPECT_THROW(ParseCondition("tepid"), UsageError);
}

TEST(Rungs, OneMachineOfTwoDevicesHasNoCluster) {
  const Rungs rungs = RungsOf({.nodes = 1, .devices_per_node = 2});
  EXPECT_THAT(rungs.present, ElementsAre(Condition::kSolo, Condition::kCrowd, Condition::kNode));
  EXPECT_THAT(Reasons(rungs), ElementsAre("cluster: one machine", "warm: no --data", "cold: no --data"));
}

TEST(Rungs, OneDevicePerMachineHasNeitherCrowdNorNode) {
  const Rungs rungs = RungsOf({.nodes = 3, .devices_per_node = 1});
  EXPECT_THAT(rungs.present, ElementsAre(Condition::kSolo, Condition::kCluster));
  EXPECT_EQ(Reasons(rungs)[0], "crowd: one device per machine");
  EXPECT_EQ(Reasons(rungs)[1], "node: one device per machine");
}

TEST(Rungs, EmulatedMachinesOfOneDeviceHaveTheWholeLadder) {
  const Rungs rungs = RungsOf({.nodes = 2, .devices_per_node = 1, .emulated = true});
  EXPECT_THAT(rungs.present,
              ElementsAre(Condition::kSolo, Condition::kCrowd, Condition::kNode, Condition::kCluster));
}

TEST(Requests, SoloRotatesOverTheDevicesOfEachMachineAtOnce) {
  const Layout layout{.nodes = 2, .devices_per_node = 3};
  EXPECT_THAT(RequestFor(Condition::kSolo, layout, 0, 5).ranks, ElementsAre(0, 3));
  EXPECT_THAT(RequestFor(Condition::kSolo, layout, 1, 5).ranks, ElementsAre(1, 4));
  EXPECT_THAT(RequestFor(Condition::kSolo, layout, 5, 5).ranks, ElementsAre(2, 5));
}

TEST(Requests, EmulatedMachinesShareOneHostSoOnlyOneDeviceRunsSolo) {
  const Layout layout{.nodes = 2, .devices_per_node = 2, .emulated = true};
  EXPECT_THAT(RequestFor(Condition::kSolo, layout, 3, 5).ranks, ElementsAre(3));
}

TEST(Requests, TheOtherRungsTakeAllRanksAndDifferInSync) {
  const Layout layout{.nodes = 2, .devices_per_node = 2};
  for (const auto& [condition, sync] : std::map<Condition, Sync>{{Condition::kCrowd, Sync::kNone},
                                                                 {Condition::kNode, Sync::kNode},
                                                                 {Condition::kCluster, Sync::kCluster}}) {
    const BlockRequest request = RequestFor(condition, layout, 1, 7);
    EXPECT_THAT(request.ranks, ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(request.sync, sync);
    EXPECT_EQ(request.steps, 7);
    EXPECT_EQ(request.data, DataSource::kResident);
  }
}

TEST(Requests, RealDataIsTrainedOnWithAllGradientsAveraged) {
  const BlockRequest warm = RequestFor(Condition::kWarm, {.nodes = 2, .devices_per_node = 2}, 3, 5);
  EXPECT_THAT(warm.ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(warm.sync, Sync::kCluster);
  EXPECT_EQ(warm.data, DataSource::kWarm);
  // The same files in the same order as the round's other rung with real data.
  const BlockRequest cold = RequestFor(Condition::kCold, {.nodes = 2, .devices_per_node = 2}, 3, 5);
  EXPECT_EQ(cold.data, DataSource::kCold);
  EXPECT_EQ(cold.turn, warm.turn);
  EXPECT_NE(RequestFor(Condition::kCold, {.nodes = 2, .devices_per_node = 2}, 4, 5).turn, cold.turn);
  EXPECT_EQ(RequestFor(Condition::kWarm, {.nodes = 1, .devices_per_node = 2}, 0, 5).sync, Sync::kNode);
  EXPECT_EQ(RequestFor(Condition::kWarm, {.nodes = 1, .devices_per_node = 1}, 0, 5).sync, Sync::kNone);
}

TEST(Rungs, RealDataBringsTwoMoreUnlessNothingMayBeEvicted) {
  const Layout layout{.nodes = 2, .devices_per_node = 1, .emulated = true};
  EXPECT_EQ(RungsOf(layout, {.given = true}).present.size(), 6U);
  const Rungs kept = RungsOf(layout, {.given = true, .evict = false});
  EXPECT_EQ(kept.present.back(), Condition::kWarm);
  EXPECT_THAT(Reasons(kept), ElementsAre("cold: left out by --no-evict"));
}

TEST(Rungs, TheUserChoosesAmongThoseThatCanBeHad) {
  const Rungs all = RungsOf({.nodes = 1, .devices_per_node = 2});
  const Rungs some = Choose(all, {Condition::kNode, Condition::kSolo});
  EXPECT_THAT(some.present, ElementsAre(Condition::kSolo, Condition::kNode));
  EXPECT_EQ(some.absent.back().reason, "left out by --conditions");
  EXPECT_THROW(Choose(all, {Condition::kSolo, Condition::kCluster}), UsageError);
}

TEST(Order, EachConditionStandsAtEachPlaceEquallyOften) {
  const std::vector<Condition> conditions = {Condition::kSolo, Condition::kCrowd, Condition::kNode};
  std::map<std::pair<Condition, std::size_t>, int> seen;
  for (int round = 0; round < 30; ++round) {
    const auto order = OrderOfRound(conditions, round, 5);
    ASSERT_EQ(order.size(), 3U);
    for (std::size_t place = 0; place < 3; ++place) ++seen[{order[place], place}];
  }
  // 30 rounds over 3 places.
  for (const auto& [where, count] : seen) EXPECT_EQ(count, 10);
  EXPECT_EQ(seen.size(), 9U);
}

TEST(Order, NeighboursChangeToo) {
  const std::vector<Condition> conditions = {Condition::kSolo, Condition::kCrowd, Condition::kNode};
  int solo_before_node = 0;
  for (int round = 0; round < 300; ++round) {
    const auto order = OrderOfRound(conditions, round, 5);
    for (std::size_t place = 0; place < 2; ++place) {
      solo_before_node += order[place] == Condition::kSolo && order[place + 1] == Condition::kNode;
    }
  }
  // 2 of the 6 orders have node right after solo: 100 of 300 expected.
  EXPECT_NEAR(solo_before_node, 100, 40);
}

TEST(Order, ASeedRepeatsItAndAnotherChangesIt) {
  const std::vector<Condition> conditions = {Condition::kSolo, Condition::kCrowd, Condition::kNode,
                                             Condition::kCluster};
  int equal = 0;
  for (int round = 0; round < 40; ++round) {
    EXPECT_EQ(OrderOfRound(conditions, round, 1), OrderOfRound(conditions, round, 1));
    equal += OrderOfRound(conditions, round, 1) == OrderOfRound(conditions, round, 2);
  }
  EXPECT_LT(equal, 20);
}

}  // namespace
}  // namespace stallscope
