#include "stallscope/engine/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stallscope {
namespace {

using testing::ElementsAre;

std::vector<int> Counts(const std::vector<CollectiveGroup>& groups) {
  std::vector<int> counts;
  for (const CollectiveGroup& group : groups) counts.push_back(static_cast<int>(group.ranks.size()));
  return counts;
}

TEST(CollectiveGroups, AMachineIsMeasuredWithTwoAndMoreOfItsRanks) {
  EXPECT_TRUE(CollectiveGroups(1, 1).empty());
  EXPECT_THAT(Counts(CollectiveGroups(1, 4)), ElementsAre(2, 3, 4));
  EXPECT_THAT(CollectiveGroups(1, 4)[1].ranks, ElementsAre(0, 1, 2));
}

TEST(CollectiveGroups, ABigMachineIsMeasuredInPowersOfTwo) {
  EXPECT_THAT(Counts(CollectiveGroups(1, 8)), ElementsAre(2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(Counts(CollectiveGroups(1, 24)), ElementsAre(2, 4, 8, 16, 24));
}

TEST(CollectiveGroups, AcrossMachinesThereIsOneRankOfEachAndThenAll) {
  const auto single = CollectiveGroups(3, 1);
  ASSERT_EQ(single.size(), 1u);
  EXPECT_THAT(single[0].ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(single[0].nodes, 3);
  const auto groups = CollectiveGroups(2, 2);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_TRUE(groups[0].InOneMachine());
  EXPECT_THAT(groups[0].ranks, ElementsAre(0, 1));
  EXPECT_THAT(groups[1].ranks, ElementsAre(0, 2));
  EXPECT_THAT(groups[2].ranks, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(groups[2].nodes, 2);
}

TEST(CollectiveRequest, TravelsWhole) {
  const CollectiveRequest sent{.group = 2,
                               .blocks = {{.kind = CollectiveKind::kStream,
                                           .bytes = 1 << 20,
                                           .repeats = 7,
                                           .warm_bytes = 64,
                                           .warm_repeats = 3}}};
  const CollectiveRequest arrived = CollectiveRequestFromJson(nlohmann::json::parse(ToJson(sent).dump()));
  EXPECT_EQ(arrived.group, 2u);
  ASSERT_EQ(arrived.blocks.size(), 1u);
  EXPECT_EQ(arrived.blocks[0].kind, CollectiveKind::kStream);
  EXPECT_EQ(arrived.blocks[0].bytes, 1 << 20);
  EXPECT_EQ(arrived.blocks[0].repeats, 7);
  EXPECT_EQ(arrived.blocks[0].warm_bytes, 64);
  EXPECT_EQ(arrived.blocks[0].warm_repeats, 3);
}

}  // namespace
}  // namespace stallscope
