#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/ladder/findings.h"
#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

std::optional<Finding> Find(const Profile& profile, const std::string& what,
                            const FindingsInput& input = {}) {
  const std::vector<Finding> findings = FindingsFor(profile, input);
  const Finding* found = FindFinding(findings, what);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

TEST(TrustFindings, AnUndisturbedMeasurementIsTrusted) {
  for (const char* what : {"uncertain", "rounds", "idle", "client-cold", "share 2", "ended early"}) {
    EXPECT_FALSE(Find(FullLadder(), what)) << what;
  }
}

TEST(TrustFindings, TheMostUncertainStallIsToldWhereItMissesTheTolerance) {
  Profile profile = FullLadder();
  profile.stalls.prep->share = {0.1, 0.06, 0.14};
  EXPECT_EQ(Find(profile, "uncertain")->what,
            "prep is uncertain by 4.0 % of a step, and 3.0 % was asked for");
  EXPECT_FALSE(Find(profile, "uncertain", {.tolerance = 0.05}));
}

TEST(TrustFindings, RoundsThatOthersDisturbedAreCounted) {
  Profile profile = FullLadder();
  profile.rounds_dropped = 2;
  EXPECT_EQ(Find(profile, "dropped")->what, "2 of 14 rounds were dropped");
  EXPECT_EQ(Find(profile, "never idle", {.never_idle = true})->severity, Severity::kProblem);
  EXPECT_FALSE(Find(profile, "dropped", {.never_idle = true}));
}

TEST(TrustFindings, RoundsWhoseFilesWereInAnotherStateAreCounted) {
  Profile profile = FullLadder();
  profile.rounds_unverified = 3;
  EXPECT_THAT(Find(profile, "discarded")->what, HasSubstr("3 of 15 rounds"));
  EXPECT_EQ(Find(profile, "discarded")->severity, Severity::kInfo);
  profile.rounds_unverified = 13;  // more than the 12 that count
  EXPECT_EQ(Find(profile, "discarded")->severity, Severity::kWarning);
}

TEST(TrustFindings, AServerThatMayHaveHeldTheFilesIsTold) {
  Profile profile = FullLadder();
  profile.conditions["cold"].cache = "client-cold";
  EXPECT_THAT(Find(profile, "client-cold")->what,
              HasSubstr("the server may have had the files in its memory"));
}

TEST(TrustFindings, MoreRanksThanCoresAreTold) {
  EXPECT_TRUE(Find(FullLadder(), "4 ranks share 2 cores", {.cores_per_machine = 2, .devices_per_host = 4}));
  EXPECT_FALSE(Find(FullLadder(), "ranks share", {.cores_per_machine = 4, .devices_per_host = 4}));
  EXPECT_FALSE(Find(FullLadder(), "ranks share", {.cores_per_machine = {}, .devices_per_host = 4}));
}

TEST(TrustFindings, AnEarlyEndIsToldWithItsCause) {
  Profile profile = FullLadder();
  profile.stopped_by = "failed";
  profile.failure = "rank 1 was killed";
  EXPECT_EQ(Find(profile, "measuring ended early: failed")->why, "rank 1 was killed");
}

}  // namespace
}  // namespace stallscope
