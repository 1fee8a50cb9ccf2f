#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/ladder/findings.h"
#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<Finding> Find(const Profile& profile, const std::string& what) {
  const std::vector<Finding> findings = FindingsFor(profile, {.cores_per_machine = 8, .devices_per_host = 2});
  const Finding* found = FindFinding(findings, what);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<Finding> Fetch(const Profile& profile) {
  return Find(profile, "of a step waits for the disk");
}
std::optional<Finding> FirstEpochs(const Profile& profile) {
  return Find(profile, "only the first epoch");
}
std::optional<Finding> Limit(const Profile& profile) {
  return Find(profile, "a faster network would not help");
}

TEST(FetchFindings, TheCacheAndTheStorageThatWouldDoAreTold) {
  Profile profile = FullLadder();
  profile.loader_limit_s = Exactly(0.2);
  const Finding finding = *Fetch(profile);
  EXPECT_EQ(finding.what, "14 % of a step waits for the disk");  // 50 ms of 350 ms
  EXPECT_NEAR(*finding.saves_s, 0.05, 1e-12);
  EXPECT_EQ(
      finding.why,
      "memory holds 50 % of the 6.40 GB data set (room for 3.20 GB); the storage alone needs 400 ms for "
      "the files of a step, which takes 300 ms with files in memory");
  // 300 - 200 = 100 ms are left to the storage, a quarter of what it needs; 0.75 * 6.4 GB = 4.8 GB.
  // 8 images * 2 devices * 100 kB = 1.6 MB: in 300 ms that is 5.33 MB/s, in 400 ms 4 MB/s.
  EXPECT_EQ(
      finding.advice,
      "keep at least 75 % of the data set in memory: 4.80 GB on each machine, which has room for 3.20 GB; "
      "or use storage that gives each machine at least 5.33 MB/s (it gave 4.00 MB/s)");
}

TEST(FetchFindings, ACacheThatThereIsRoomForIsNotAdvised) {
  Profile profile = FullLadder();
  profile.loader_limit_s = Exactly(0.1);
  // 200 of 400 ms fit: half of the data set, and that is in memory.
  EXPECT_THAT(Fetch(profile)->advice, Not(HasSubstr("in memory")));
  EXPECT_THAT(Fetch(profile)->advice, HasSubstr("use storage"));
}

TEST(FetchFindings, StorageThatKeepsUpAloneIsNotBlamed) {
  Profile profile = FullLadder();
  profile.fetch_limit_s = Exactly(0.25);
  EXPECT_THAT(Fetch(profile)->advice, Not(HasSubstr("use storage")));
  EXPECT_THAT(Fetch(profile)->advice, HasSubstr("some read while others decode"));
}

TEST(FetchFindings, WithoutLimitsOnlyTheStallIsTold) {
  Profile profile = FullLadder();
  profile.fetch_limit_s.reset();
  profile.steady_state.reset();
  EXPECT_EQ(Fetch(profile)->what, "25 % of a step waits for the disk");  // 100 ms of 400 ms
  EXPECT_EQ(Fetch(profile)->advice, "keep more of the data set in memory, or use faster storage");
}

TEST(FetchFindings, WhatIsHiddenIsNotSaid) {
  EXPECT_FALSE(Fetch(SyntheticLadder()));
  Profile profile = FullLadder();
  profile.stalls = StallsWithFetch(0.004);
  profile.steady_state->stalls = StallsWithFetch(0.002);
  EXPECT_FALSE(Fetch(profile));
  EXPECT_FALSE(FirstEpochs(profile));
}

TEST(FetchFindings, ADataSetThatFitsIntoMemoryCostsOnlyTheFirstEpoch) {
  Profile profile = FullLadder();
  profile.cluster.emulated = true;
  EXPECT_FALSE(FirstEpochs(profile));
  profile.steady_state = SteadyState{.step_time_s = Exactly(0.3),
                                     .cached_share = 1,
                                     .room_bytes = 8'000'000'000,
                                     .stalls = StallsWithFetch(0)};
  EXPECT_FALSE(Fetch(profile));
  const Finding finding = *FirstEpochs(profile);
  // 64000 samples / (8 * 4 devices) = 2000 steps of 100 ms.
  EXPECT_EQ(finding.what, "only the first epoch waits for the disk, for 3 min 20 s in all");
  EXPECT_THAT(finding.why,
              HasSubstr("the 6.40 GB data set fits into the memory of each machine (room for 8"));
  EXPECT_EQ(finding.severity, Severity::kInfo);
  EXPECT_FALSE(finding.saves_s);
  // Real machines read other files in the next epoch.
  profile.cluster.emulated = false;
  EXPECT_THAT(FirstEpochs(profile)->what, HasSubstr("only the first epochs wait for the disk"));
}

TEST(LimitFindings, ALoaderThatTheNetworkHidesIsTold) {
  Profile profile = FullLadder();
  EXPECT_FALSE(Limit(profile));  // prep shows already
  profile.steady_state->stalls.prep = SureStall(0.001, 0.35);
  profile.loader_limit_s = Exactly(0.2);
  EXPECT_EQ(Limit(profile)->what, "a faster network would not help beyond 200 ms a step");
  EXPECT_THAT(Limit(profile)->why, HasSubstr("the loader alone needs that long"));
  EXPECT_THAT(Limit(profile)->why, HasSubstr("a step would take 150 ms"));
  profile.loader_limit_s = Exactly(0.14);  // below node
  EXPECT_FALSE(Limit(profile));
  profile.loader_limit_s = Estimate{.mean = 0.16, .low = 0.14, .high = 0.18};  // perhaps below node
  EXPECT_FALSE(Limit(profile));
}

TEST(LimitFindings, OnlyTheFilesThatMemoryMissesLimit) {
  Profile profile = FullLadder();
  profile.steady_state->stalls.fetch = SureStall(0.001, 0.35);
  // Half of 400 ms, above the 150 ms of node.
  EXPECT_EQ(Limit(profile)->what, "a faster network would not help beyond 200 ms a step");
  EXPECT_THAT(Limit(profile)->why, HasSubstr("the storage alone"));
  profile.steady_state->cached_share = 0.7;  // 120 ms
  EXPECT_FALSE(Limit(profile));
}

TEST(LimitFindings, WithoutANetworkStallNothingIsSaidOfFasterNetworks) {
  Profile profile = FullLadder();
  profile.steady_state->stalls.prep = SureStall(0.001, 0.35);
  profile.steady_state->stalls.network = SureStall(0.005, 0.35);
  EXPECT_FALSE(Limit(profile));
}

}  // namespace
}  // namespace stallscope
