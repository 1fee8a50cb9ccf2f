#include "stallscope/ladder/measure.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "stallscope/ladder/fake_runner.h"
#include "stallscope/ladder/findings.h"
#include "stallscope/ladder/ladder_document.h"
#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

constexpr Layout kTwoDevices{.nodes = 1, .devices_per_node = 2};

struct Recorder : MeasureObserver {
  void OnProgress(const MeasureProgress& progress) override { last = progress; }
  void OnBlock(const MeasuredBlock& block) override { blocks.push_back(block); }
  MeasureProgress last;
  std::vector<MeasuredBlock> blocks;
};

MeasureOptions OptionsFor(FakeRunner& runner) {
  MeasureOptions options;
  options.layout = runner.layout;
  options.conditions = RungsOf(runner.layout).present;
  options.cores_per_machine = 2;
  options.clock = [&runner] { return runner.now_s; };
  return options;
}

Profile ProfileOf(const MeasureOptions& options, const MeasureResult& result) {
  ProfileOrigin origin;
  origin.workload.batch_per_device = 8;
  origin.host.cores = 2;
  return MakeProfile(origin, options, RungsOf(options.layout), result);
}

TEST(Measure, KnownStepTimesAreRecovered) {
  FakeRunner runner({.nodes = 2, .devices_per_node = 2});
  runner.slow_first_s = 0.4;
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.stopped_by, "tolerance");
  EXPECT_EQ(result.rounds.size(), 8U);
  const Profile profile = ProfileOf(options, result);
  EXPECT_NEAR(profile.stalls.compute->seconds.mean, 0.2, 1e-12);
  EXPECT_NEAR(profile.stalls.contention->seconds.mean, 0.01, 1e-12);
  EXPECT_NEAR(profile.stalls.communication->seconds.mean, 0.09, 1e-12);
  EXPECT_NEAR(profile.stalls.network->seconds.mean, 0.2, 1e-12);
  EXPECT_NEAR(profile.step_time_s.mean, 0.5, 1e-12);
  // 4 devices * 8 samples / 0.5 s.
  EXPECT_NEAR(profile.samples_per_s.mean, 64, 1e-9);
}

TEST(Measure, KnownStepTimesUnderNoiseLieWithinTheIntervals) {
  FakeRunner runner(kTwoDevices);
  runner.noise_s = 0.01;
  runner.drift_s_per_block = 0.0005;
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const Profile profile = ProfileOf(options, Measure(runner, options, recorder));
  EXPECT_LE(profile.stalls.interconnect->seconds.low, 0.1);
  EXPECT_GE(profile.stalls.interconnect->seconds.high, 0.1);
  EXPECT_EQ(profile.stopped_by, "tolerance");
  EXPECT_LT(profile.stalls.interconnect->share.HalfWidth(), 0.03);
}

TEST(Measure, EveryRoundHasEveryConditionOnceAndSoloTakesTurns) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  Measure(runner, OptionsFor(runner), recorder);
  std::map<int, std::set<Condition>> rounds;
  std::map<int, int> solo_turns;
  for (const MeasuredBlock& block : recorder.blocks) {
    if (!block.round) continue;
    EXPECT_TRUE(rounds[*block.round].insert(block.condition).second);
    if (block.condition == Condition::kSolo) ++solo_turns[block.result.request.ranks.front()];
  }
  for (const auto& [round, conditions] : rounds) EXPECT_EQ(conditions.size(), 3U);
  EXPECT_EQ(solo_turns[0], 4);
  EXPECT_EQ(solo_turns[1], 4);
}

TEST(Measure, UnequalDevicesAreNoContention) {
  FakeRunner runner(kTwoDevices);
  runner.device_extra_s = {0, 0.1};
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.rounds.size() % 2, 0U);
  // solo: mean of 0.2 and 0.3; crowd: mean of 0.21 and 0.31.
  EXPECT_NEAR(ProfileOf(options, result).stalls.contention->seconds.mean, 0.01, 1e-12);
}

TEST(Measure, BlocksHaveOneFixedNumberOfStepsThatFollowsTheStepTime) {
  for (const auto& [scale, steps] : std::map<double, int>{{0.001, 20}, {1, 3}, {100, 2}}) {
    FakeRunner runner(kTwoDevices);
    runner.solo_s *= scale;
    runner.crowd_s *= scale;
    runner.node_s *= scale;
    Recorder recorder;
    MeasureOptions options = OptionsFor(runner);
    options.max_time_s = 1e6;
    // 1 s over the slowest step, 0.3 s * scale, between 2 and 20.
    EXPECT_EQ(Measure(runner, options, recorder).steps_per_block, steps);
    for (const MeasuredBlock& block : recorder.blocks) {
      if (!block.round) continue;
      EXPECT_EQ(block.result.request.steps, steps + kSettleSteps);
    }
  }
}

TEST(Measure, AGroupsFirstTwoStepsAreAlwaysWarmUp) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  const MeasureResult result = Measure(runner, OptionsFor(runner), recorder);
  int warm_up = 0;
  std::vector<int> node_warm_ups;
  for (const MeasuredBlock& block : recorder.blocks) {
    const int steps = block.result.request.steps;
    EXPECT_EQ(block.skipped_steps, block.round ? kSettleSteps : steps);
    warm_up += block.skipped_steps;
    if (block.condition == Condition::kNode && !block.round) node_warm_ups.push_back(steps);
  }
  // Two that rebuild buckets and two to look at; then 1 s / 0.3 s = 3 more.
  EXPECT_EQ(node_warm_ups, (std::vector<int>{4, 3}));
  EXPECT_EQ(result.warm_up_steps, warm_up);
}

TEST(Measure, NoisyRoundsEndAtMaxTimeAndNeverBeyond) {
  FakeRunner runner(kTwoDevices);
  runner.noise_s = 0.08;
  Recorder recorder;
  MeasureOptions options = OptionsFor(runner);
  options.max_time_s = 60;
  options.tolerance = 0.001;
  const double start = runner.now_s;
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.stopped_by, "max-time");
  EXPECT_GT(result.rounds.size(), 8U);
  // A round is judged by the longest one so far, so only a new longest round can go beyond, and a little.
  EXPECT_LT(runner.now_s - start, 61);
  const Profile profile = ProfileOf(options, result);
  EXPECT_EQ(profile.findings.back().advice, "raise --max-time, or rerun on an idle machine");
}

TEST(Measure, ALinkAHundredTimesSlowerEndsAtMaxTimeWithAFinding) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  MeasureOptions options = OptionsFor(runner);
  options.max_time_s = 60;
  options.tolerance = 0;
  const double start = runner.now_s;
  options.interrupted = [&] {  // asked before each block
    if (runner.now_s - start > 30) runner.node_s = 30;
    return false;
  };
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.stopped_by, "max-time");
  EXPECT_FALSE(result.error);
  EXPECT_GT(result.rounds.size(), 2U);
  EXPECT_LE(runner.now_s - start, 60 + 8);
  // 0.3 s of a step before; the block began after 30 s and was left at 68 s.
  EXPECT_NE(result.overdue.find("a block of 'node' that ran for"), std::string::npos) << result.overdue;
  const Profile profile = ProfileOf(options, result);
  EXPECT_NE(FindFinding(profile.findings, "the last round was given up"), nullptr);
}

TEST(Measure, TooLittleTimeForARoundIsSaidWithTheFix) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  MeasureOptions options = OptionsFor(runner);
  options.max_time_s = 1;
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.stopped_by, "max-time");
  EXPECT_THROW(ProfileOf(options, result), Error);
}

TEST(Measure, AnInterruptKeepsTheFinishedRounds) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  MeasureOptions options = OptionsFor(runner);
  options.interrupted = [&] { return recorder.last.rounds_done >= 3 && recorder.last.round == 3; };
  const MeasureResult result = Measure(runner, options, recorder);
  EXPECT_EQ(result.stopped_by, "interrupted");
  EXPECT_EQ(result.rounds.size(), 3U);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(ProfileOf(options, result).stopped_by, "interrupted");
}

TEST(Measure, AFailureKeepsTheFinishedRoundsAndItsCause) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  Measure(runner, options, recorder);
  const auto warm_up_blocks = static_cast<int>(recorder.blocks.size()) - 8 * 3;

  FakeRunner failing(kTwoDevices);
  failing.fails_at_block = warm_up_blocks + 3 * 5 + 1;
  const MeasureOptions again = OptionsFor(failing);
  const MeasureResult result = Measure(failing, again, recorder);
  EXPECT_EQ(result.stopped_by, "failed");
  EXPECT_EQ(result.rounds.size(), 5U);
  ASSERT_TRUE(result.error);
  EXPECT_STREQ(result.error->what(), "rank 1 was killed");
  const Profile profile = ProfileOf(again, result);
  EXPECT_EQ(profile.failure, "rank 1 was killed");
  EXPECT_EQ(profile.rounds_kept, 5);
}

TEST(Measure, AFailureBeforeTheSecondRoundIsThrownOn) {
  FakeRunner runner(kTwoDevices);
  runner.fails_at_block = 1;
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const MeasureResult result = Measure(runner, options, recorder);
  try {
    ProfileOf(options, result);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 1 was killed");
  }
}

TEST(Measure, PollutedRoundsAreDroppedWholeAndCounted) {
  FakeRunner runner(kTwoDevices);
  // Longer than a round of three blocks, all of which are run again.
  runner.foreign_s = [](int block) { return block % 30 < 10 ? 5.0 : 0.0; };
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const MeasureResult result = Measure(runner, options, recorder);
  const Profile profile = ProfileOf(options, result);
  EXPECT_GE(profile.rounds_kept, 8);
  EXPECT_GE(profile.rounds_dropped, 1);
  EXPECT_EQ(static_cast<std::size_t>(profile.rounds_kept + profile.rounds_dropped), result.rounds.size());
  EXPECT_EQ(profile.conditions.at("solo").rounds, profile.rounds_kept);
}

TEST(Measure, ADisturbedBlockIsRunAgainAtTheEndOfItsRound) {
  FakeRunner runner(kTwoDevices);
  runner.foreign_s = [](int block) { return block % 12 == 0 ? 5.0 : 0.0; };
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const MeasureResult result = Measure(runner, options, recorder);
  for (const MeasuredRound& round : result.rounds) EXPECT_FALSE(round.polluted);
  EXPECT_EQ(ProfileOf(options, result).rounds_dropped, 0);
  // Every disturbed block was logged, and another of its condition followed in the same round.
  std::size_t disturbed = 0;
  for (const MeasuredBlock& block : recorder.blocks) disturbed += block.round && block.foreign.polluted;
  EXPECT_GE(disturbed, 2u);
}

TEST(Measure, AMachineThatIsNeverIdleKeepsAllRoundsAndSaysSo) {
  FakeRunner runner(kTwoDevices);
  runner.foreign_s = [](int) { return 5.0; };
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const Profile profile = ProfileOf(options, Measure(runner, options, recorder));
  EXPECT_EQ(profile.rounds_dropped, 0);
  EXPECT_GE(profile.rounds_kept, 8);
  bool said = false;
  for (const Finding& finding : profile.findings)
    said = said || finding.what.starts_with("this machine is never idle");
  EXPECT_TRUE(said);
}

TEST(Measure, ASeedRepeatsTheWholeRun) {
  std::vector<std::string> documents;
  for (int repeat = 0; repeat < 2; ++repeat) {
    FakeRunner runner(kTwoDevices);
    runner.noise_s = 0.02;
    Recorder recorder;
    const MeasureOptions options = OptionsFor(runner);
    documents.push_back(ToJson(ProfileOf(options, Measure(runner, options, recorder))));
  }
  EXPECT_EQ(documents[0], documents[1]);
}

TEST(Measure, ProgressBoundsTheTimeThatRemains) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  Measure(runner, OptionsFor(runner), recorder);
  EXPECT_NEAR(recorder.last.elapsed_s + recorder.last.remaining_s, 300, 1e-9);
  EXPECT_EQ(recorder.last.rounds_done, 7);
  EXPECT_TRUE(recorder.last.widest_half_width);
  EXPECT_NEAR(recorder.last.step_times_s.at(Condition::kNode), 0.3, 1e-9);
}

TEST(Document, RungsLeftOutByTheUserAreAbsentWithThatReason) {
  FakeRunner runner(kTwoDevices);
  Recorder recorder;
  MeasureOptions options = OptionsFor(runner);
  const Rungs rungs = Choose(RungsOf(kTwoDevices), {Condition::kSolo, Condition::kNode});
  options.conditions = rungs.present;
  const Profile profile = MakeProfile({}, options, rungs, Measure(runner, options, recorder));
  // In the order of the rungs.
  EXPECT_EQ(profile.absent.front().condition, "crowd");
  EXPECT_EQ(profile.absent.front().reason, "left out by --conditions");
  EXPECT_FALSE(profile.stalls.contention);
}

TEST(Findings, ComeInTheOrderOfWhatTheySave) {
  FakeRunner runner({.nodes = 2, .devices_per_node = 2});
  runner.crowd_s = 0.25;
  Recorder recorder;
  const MeasureOptions options = OptionsFor(runner);
  const Profile profile = ProfileOf(options, Measure(runner, options, recorder));
  ASSERT_EQ(profile.findings.size(), 3U);
  // network 0.5 - 0.3, then communication 0.3 - 0.25 and contention 0.25 - 0.2 of 0.5 s.
  EXPECT_EQ(profile.findings[0].what, "40 % of a step waits for gradients of other machines");
  EXPECT_NEAR(*profile.findings[0].saves_s, 0.2, 1e-9);
  EXPECT_NEAR(*profile.findings[1].saves_s, 0.05, 1e-9);
  EXPECT_NEAR(*profile.findings[2].saves_s, 0.05, 1e-9);
}

TEST(Findings, MoreRanksThanCoresIsSaid) {
  const std::vector<Finding> findings = FindingsFor(
      Profile{}, {.tolerance = 0.03, .never_idle = false, .cores_per_machine = 2, .devices_per_host = 4});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what, "4 ranks share 2 cores");
}

TEST(Findings, AStallThatCannotBeToldFromZeroIsNoFinding) {
  Profile profile;
  profile.stalls.network =
      Stall{.seconds = {1, -1, 3}, .share = {0.02, -0.02, 0.06}, .distinguishable = false};
  EXPECT_TRUE(
      FindingsFor(profile,
                  {.tolerance = 0.05, .never_idle = false, .cores_per_machine = {}, .devices_per_host = 1})
          .empty());
}

}  // namespace
}  // namespace stallscope
