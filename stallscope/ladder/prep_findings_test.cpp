#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/ladder/findings.h"
#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// The finding about preparation, on machines with so many cores for two devices.
std::optional<Finding> Prep(const Profile& profile, std::optional<int> cores = 8) {
  const std::vector<Finding> findings =
      FindingsFor(profile, {.cores_per_machine = cores, .devices_per_host = 2});
  const Finding* found = FindFinding(findings, "preparing");
  return found == nullptr ? std::nullopt : std::optional(*found);
}

TEST(PrepFindings, TooFewWorkersAreToldWithTheNumberThatWouldDo) {
  const Finding finding = *Prep(FullLadder());
  EXPECT_EQ(finding.what, "preparing images on the CPU costs 14 % of a step");  // 50 ms of 350 ms
  EXPECT_EQ(finding.why,
            "one worker prepares 8 images in 300 ms, and a step without data takes 250 ms: 2 workers would "
            "do, and there is 1");
  EXPECT_EQ(finding.advice, "use --workers 2");
  EXPECT_EQ(finding.severity, Severity::kWarning);
}

TEST(PrepFindings, WhatIsHiddenOrUncertainIsNotSaid) {
  EXPECT_FALSE(Prep(SyntheticLadder()));
  Profile profile = FullLadder();
  profile.steady_state->stalls.prep = SureStall(0.01, 0.35);
  EXPECT_FALSE(Prep(profile));
  profile.steady_state->stalls.prep = SureStall(0.05, 0.35);
  profile.steady_state->stalls.prep->distinguishable = false;
  EXPECT_FALSE(Prep(profile));
}

TEST(PrepFindings, MoreWorkersAreNeverAdvisedWithoutCoresForThem) {
  // 2 workers and the training of 2 devices take 2 * 3 = 6 cores.
  EXPECT_THAT(Prep(FullLadder(), 6)->advice, HasSubstr("--workers 2"));
  const Finding finding = *Prep(FullLadder(), 5);
  EXPECT_THAT(finding.why,
              EndsWith("; but 2 workers and a training for each of 2 devices take 6 cores, and there are 5"));
  EXPECT_EQ(finding.advice,
            "use machines with more cores per device, smaller images, or images decoded ahead");
  for (int cores = 1; cores < 6; ++cores)
    EXPECT_THAT(Prep(FullLadder(), cores)->advice, Not(HasSubstr("workers")));
}

TEST(PrepFindings, ADeviceThatIsNoCpuNeedsNoCoreForTraining) {
  Profile profile = FullLadder();
  profile.cluster.device = "cuda";
  EXPECT_THAT(Prep(profile, 4)->advice, HasSubstr("--workers 2"));
  EXPECT_THAT(Prep(profile, 3)->advice, Not(HasSubstr("--workers")));
}

TEST(PrepFindings, ALoaderThatKeepsUpAloneCompetesForCores) {
  Profile profile = FullLadder();
  profile.loader = LoaderInfo{.read_s = 0.0003, .decode_s = 0.001, .bytes = 100'000};  // 8 * 1.3 = 10.4 ms
  profile.loader_limit_s = Exactly(0.0104);
  profile.conditions["cluster"].parts = {.forward_s = 0.05, .backward_s = 0.1};
  profile.conditions["warm"].parts = {.data_wait_s = 0.003, .forward_s = 0.06, .backward_s = 0.13};
  // 2 devices with 1 worker each and their training take 4 cores.
  const Finding finding = *Prep(profile, 2);
  EXPECT_EQ(
      finding.why,
      "one worker prepares 8 images in 10.4 ms, and a step without data takes 250 ms: 1 worker would do; "
      "the loader alone makes a step's images in 10.4 ms, so it and the training compete for cores: "
      "computing takes 190 ms instead of 150 ms, and a step waits 3.00 ms for its batch");
  EXPECT_EQ(finding.advice,
            "use machines with more cores per device, smaller images, or images decoded ahead; more workers "
            "would not help");
}

TEST(PrepFindings, MoreCoresAreNotAdvisedWhereThereAreEnough) {
  Profile profile = FullLadder();
  profile.loader_limit_s = Exactly(0.2);
  EXPECT_THAT(Prep(profile, 4)->why, HasSubstr("compete for cores or memory bandwidth"));
  EXPECT_THAT(Prep(profile, 4)->advice, Not(HasSubstr("cores")));
  profile.cluster.device = "cuda";
  EXPECT_THAT(Prep(profile, 4)->why, Not(HasSubstr("compete")));
}

TEST(PrepFindings, WorkersThatDoNotAddUpAreTold) {
  Profile profile = FullLadder();
  profile.workload.loader_workers = 4;
  EXPECT_THAT(
      Prep(profile)->why,
      EndsWith("2 workers would do; but 4 workers together need 300 ms with nothing else running: they "
               "do not add up"));
  EXPECT_THAT(Prep(profile)->advice, EndsWith("more workers would not help"));
}

TEST(PrepFindings, TokensAreNotImages) {
  Profile profile = FullLadder();
  profile.workload.dataset->kind = "tokens";
  for (const int cores : {2, 8}) {
    EXPECT_THAT(Prep(profile, cores)->what, HasSubstr("preparing sequences"));
    EXPECT_THAT(Prep(profile, cores)->advice, Not(HasSubstr("image")));
  }
}

TEST(PrepFindings, WithoutTheLoadersRatesNothingIsExplained) {
  Profile profile = FullLadder();
  profile.loader.reset();
  EXPECT_EQ(Prep(profile)->advice, "compare other numbers of --workers");
}

TEST(PrepFindings, CopyIsToldWhereItMatters) {
  Profile profile = FullLadder();
  EXPECT_EQ(FindFinding(FindingsFor(profile, {}), "copies batches"), nullptr);
  profile.steady_state->stalls.copy = SureStall(0.035, 0.35);
  const std::vector<Finding> findings = FindingsFor(profile, {});
  EXPECT_EQ(FindFinding(findings, "copies batches")->what, "10 % of a step copies batches to the device");
  EXPECT_THAT(FindFinding(findings, "copies batches")->advice, Not(HasSubstr("pinned")));
}

}  // namespace
}  // namespace stallscope
