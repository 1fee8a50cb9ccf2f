#include "stallscope/supervise/cpu_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using Sets = std::vector<std::vector<int>>;

TEST(CpuSets, SetsAreContiguousAndTheFirstGetTheRest) {
  // 5 cores for 2 ranks: 3 and 2.
  const CpuDivision division = DivideCpus({2, 3, 6, 7, 9}, 2);
  EXPECT_EQ(division.sets, (Sets{{2, 3, 6}, {7, 9}}));
  EXPECT_FALSE(division.oversubscribed);
}

TEST(CpuSets, AsManyRanksAsCoresGetOneEach) {
  EXPECT_EQ(DivideCpus({0, 1}, 2).sets, (Sets{{0}, {1}}));
  EXPECT_FALSE(DivideCpus({0, 1}, 2).oversubscribed);
}

TEST(CpuSets, MoreRanksThanCoresShareRoundRobinAndItIsSaid) {
  const CpuDivision division = DivideCpus({4, 5}, 5);
  EXPECT_EQ(division.sets, (Sets{{4}, {5}, {4}, {5}, {4}}));
  EXPECT_TRUE(division.oversubscribed);
}

TEST(CpuSets, NoRanksIsWrongUsage) {
  EXPECT_THROW(DivideCpus({0}, 0), UsageError);
}

TEST(CpuSets, ThisProcessMayUseAtLeastOneCoreInRisingOrder) {
  const std::vector<int> cpus = AllowedCpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

}  // namespace
}  // namespace stallscope
