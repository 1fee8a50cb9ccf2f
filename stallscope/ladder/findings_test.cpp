#include "stallscope/ladder/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const FindingsInput kEnoughCores{.cores_per_machine = 8, .devices_per_host = 2};

std::vector<Finding> Found(const Profile& profile) {
  return FindingsFor(profile, kEnoughCores);
}

constexpr const char* kInterconnect = "waits for gradients of other devices";
constexpr const char* kNetwork = "waits for gradients of other machines";
constexpr const char* kContention = "because the devices share one machine";
constexpr const char* kSkew = "for the slowest of them";

TEST(Findings, ComeInTheOrderOfWhatTheySaveInTheSteadyState) {
  const std::vector<Finding> findings = Found(FullLadder());
  // network 100 ms, prep 50, fetch half of 100, communication 40; contention is 10 / 350, below 5 %.
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_THAT(findings[0].what, HasSubstr(kNetwork));
  EXPECT_NEAR(*findings[0].saves_s, 0.1, 1e-12);
  EXPECT_THAT(findings[1].what, HasSubstr("preparing images"));
  EXPECT_NEAR(*findings[1].saves_s, 0.05, 1e-12);
  EXPECT_THAT(findings[2].what, HasSubstr("the disk"));
  EXPECT_NEAR(*findings[2].saves_s, 0.05, 1e-12);
  EXPECT_THAT(findings[3].what, HasSubstr(kInterconnect));
}

TEST(Findings, WhatSavesNothingComesLastBySeverity) {
  Profile profile = FullLadder();
  profile.rounds_dropped = 1;
  profile.stopped_by = "interrupted";
  const std::vector<Finding> findings = Found(profile);
  ASSERT_EQ(findings.size(), 6U);
  EXPECT_EQ(findings[4].severity, Severity::kWarning);
  EXPECT_EQ(findings[5].severity, Severity::kInfo);
}

TEST(Findings, AnEmptyProfileShowsNothing) {
  EXPECT_TRUE(Found(Profile{}).empty());
}

TEST(CommunicationFindings, SharesAreThoseOfTheSteadyState) {
  // 100 ms of 350 ms, not of the first epoch's 400 ms.
  EXPECT_EQ(FindFinding(Found(FullLadder()), kNetwork)->what,
            "29 % of a step waits for gradients of other machines");
  Profile profile = FullLadder();
  profile.steady_state.reset();
  EXPECT_EQ(FindFinding(Found(profile), kNetwork)->what,
            "25 % of a step waits for gradients of other machines");
}

TEST(CommunicationFindings, WhatIsSmallOrUncertainIsNotSaid) {
  Profile profile = SyntheticLadder();
  EXPECT_NE(FindFinding(Found(profile), kInterconnect), nullptr);
  EXPECT_NE(FindFinding(Found(profile), kNetwork), nullptr);
  profile.stalls.communication = SureStall(0.01, 0.25);  // 4 %
  profile.stalls.network->distinguishable = false;
  EXPECT_EQ(FindFinding(Found(profile), kInterconnect), nullptr);
  EXPECT_EQ(FindFinding(Found(profile), kNetwork), nullptr);
}

TEST(CommunicationFindings, OverlapAndTheMostExposedBucketAreTold) {
  Profile profile = SyntheticLadder();
  ConditionInfo& cluster = profile.conditions["cluster"];
  cluster.communication = CommunicationInfo{.transfer_s = 0.12, .skew_s = 0, .overlap_share = 0.4};
  cluster.buckets = {{.bytes = 1'000'000, .exposed_s = 0},
                     {.bytes = 26'200'000, .exposed_s = 0.031},
                     {.bytes = 19'500'000, .exposed_s = 0.02}};
  const std::vector<Finding> findings = Found(profile);
  const Finding& finding = *FindFinding(findings, kNetwork);
  EXPECT_EQ(finding.why,
            "each step reduces 46.8 MB of gradients in 62 tensors, and the backward pass hides 40 % of the "
            "time that takes; bucket 2 of 3 (26.2 MB) keeps the step waiting longest, 31.0 ms");
  EXPECT_THAT(finding.advice, HasSubstr("fewer and larger machines"));
  EXPECT_THAT(finding.advice, HasSubstr("--accumulate"));
  EXPECT_THAT(finding.advice, HasSubstr("compare --bucket 25MiB with"));
  // The rung of the other finding has no buckets.
  EXPECT_THAT(FindFinding(findings, kInterconnect)->why, Not(HasSubstr("bucket")));
}

TEST(CommunicationFindings, OneBucketForAllGradientsCannotLeaveEarly) {
  Profile profile = SyntheticLadder();
  profile.workload.bucket = "model";
  profile.conditions["cluster"].buckets = {{.bytes = 46758048, .exposed_s = 0.1}};
  EXPECT_THAT(FindFinding(Found(profile), kNetwork)->advice, HasSubstr("use a smaller --bucket, or tensor"));
}

TEST(CommunicationFindings, WithoutCrowdTheSumIsTold) {
  Profile profile = SyntheticLadder();
  profile.stalls.contention = profile.stalls.communication = std::nullopt;
  profile.stalls.interconnect = SureStall(0.05, 0.25);
  EXPECT_THAT(FindFinding(Found(profile), kInterconnect)->what, HasSubstr("20 %"));
  // Without node, interconnect is contention alone.
  profile.stalls.contention = profile.stalls.interconnect;
  profile.conditions.erase("node");
  EXPECT_EQ(FindFinding(Found(profile), kInterconnect), nullptr);
  EXPECT_NE(FindFinding(Found(profile), kContention), nullptr);
}

TEST(CommunicationFindings, ContentionIsTold) {
  Profile profile = SyntheticLadder();
  EXPECT_EQ(FindFinding(Found(profile), kContention), nullptr);
  profile.stalls.contention = SureStall(0.05, 0.25);
  EXPECT_EQ(FindFinding(Found(profile), kContention)->severity, Severity::kProblem);
}

TEST(CommunicationFindings, SkewThatIsNotHiddenIsTold) {
  Profile profile = SyntheticLadder();
  EXPECT_EQ(FindFinding(Found(profile), kSkew), nullptr);
  ConditionInfo& cluster = profile.conditions["cluster"];
  cluster.communication = CommunicationInfo{.transfer_s = 0.05, .skew_s = 0.08, .overlap_share = 0.5};
  cluster.parts.exposed_communication_s = 0.1;
  // Half of 80 ms is exposed.
  EXPECT_NEAR(*FindFinding(Found(profile), kSkew)->saves_s, 0.04, 1e-12);
  cluster.communication->skew_s = 0.02;  // 10 ms of 250 ms
  EXPECT_EQ(FindFinding(Found(profile), kSkew), nullptr);
}

}  // namespace
}  // namespace stallscope
