#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/ladder/epochs.h"
#include "stallscope/ladder/fake_runner.h"
#include "stallscope/ladder/ladder_document.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {
namespace {

constexpr Layout kTwoMachines{.nodes = 2, .devices_per_node = 1, .emulated = true};

MeasureOptions OptionsFor(FakeRunner& runner, int workers = 2) {
  MeasureOptions options;
  options.layout = runner.layout;
  options.conditions = RungsOf(runner.layout, {.given = true}).present;
  options.cores_per_machine = 2;
  options.clock = [&runner] { return runner.now_s; };
  options.data = DataPlan{.workers = workers, .shape = {.batch = 8, .ranks = 2}, .samples = 2000};
  return options;
}

Profile ProfileOf(const MeasureOptions& options, const MeasureResult& result, std::int64_t room_bytes) {
  ProfileOrigin origin;
  origin.workload.batch_per_device = 8;
  origin.workload.dataset = DatasetInfo{.path = "/data", .kind = "images", .samples = 2000, .bytes = 1000};
  origin.room_bytes = room_bytes;
  return MakeProfile(origin, options, RungsOf(options.layout, {.given = true}), result);
}

double SumOf(const Stalls& stalls) {
  return stalls.compute->seconds.mean + stalls.interconnect->seconds.mean + stalls.network->seconds.mean +
         stalls.prep->seconds.mean + stalls.fetch->seconds.mean;
}

TEST(RealData, AllSixRungsTelescopeInBothTotals) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  // Room for 250 of 1000 bytes: three quarters of the fetch stall stay.
  const Profile profile = ProfileOf(options, Measure(runner, options, nobody), 250);
  EXPECT_TRUE(profile.absent.empty());
  EXPECT_NEAR(profile.stalls.prep->seconds.mean, 0.05, 1e-9);
  EXPECT_NEAR(profile.stalls.copy->seconds.mean, 0.01, 1e-9);
  EXPECT_NEAR(profile.stalls.fetch->seconds.mean, 0.15, 1e-9);
  EXPECT_NEAR(SumOf(profile.stalls), profile.first_epoch->step_time_s.mean, 1e-12);
  EXPECT_DOUBLE_EQ(profile.steady_state->cached_share, 0.25);
  EXPECT_NEAR(profile.steady_state->step_time_s.mean, 0.55 + 0.75 * 0.15, 1e-9);
  EXPECT_NEAR(SumOf(profile.steady_state->stalls), profile.steady_state->step_time_s.mean, 1e-12);
  EXPECT_NEAR(profile.loader_limit_s->mean, 0.1, 1e-9);
  EXPECT_NEAR(profile.fetch_limit_s->mean, 0.2, 1e-9);
  // 0.1 s and 0.4 s for 10 samples of 5000 bytes.
  EXPECT_NEAR(profile.loader->read_s, 0.01, 1e-9);
  EXPECT_NEAR(profile.loader->decode_s, 0.04, 1e-9);
  EXPECT_NEAR(profile.loader->bytes, 500, 1e-9);
  EXPECT_EQ(profile.conditions.at("cold").cache, "cold");
  EXPECT_FALSE(profile.conditions.at("cluster").cache);
}

TEST(RealData, ADataSetThatFitsIntoMemoryHasNoFetchStallInTheSteadyState) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  const Profile profile = ProfileOf(options, Measure(runner, options, nobody), 5000);
  EXPECT_NEAR(profile.steady_state->step_time_s.mean, 0.55, 1e-9);
  EXPECT_DOUBLE_EQ(profile.steady_state->stalls.fetch->seconds.mean, 0);
}

TEST(RealData, BlocksSettleUntilEveryWorkerHasDeliveredTwice) {
  // 3 workers, 2 micro-batches a step: 6 batches settle in 3 steps, and counted steps come in threes.
  const DataPlan data{.workers = 3, .shape = {.batch = 8, .accumulate = 2, .ranks = 2}, .samples = 2000};
  const BlockPlan plan = PlanBlock(true, 4, data);
  EXPECT_EQ(plan.skip, 3);
  EXPECT_EQ(plan.steps, 3 + 6);
  EXPECT_EQ(PlanBlock(false, 4, data).steps, 4 + kSettleSteps);
}

TEST(RealData, ABlockThatOthersDisturbedIsRunAgain) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  const auto verified = runner.input;
  runner.input = [&](const BlockRequest& request, int block) {
    InputRecord record = verified(request, block);
    if (block % 7 == 0) record = {.state = "mixed", .reason = "somebody reads along", .worth_a_retry = true};
    return record;
  };
  const MeasureResult result = Measure(runner, options, nobody);
  EXPECT_EQ(result.stopped_by, "tolerance");
  EXPECT_EQ(result.unverified_rounds, 0);
  EXPECT_TRUE(result.given_up.empty());
}

TEST(RealData, FilesThatCannotBeEvictedLeaveTheRungAbsentWithTheReason) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  const auto verified = runner.input;
  runner.input = [&](const BlockRequest& request, int block) {
    if (request.data == DataSource::kWarm) return verified(request, block);
    return InputRecord{.state = "in memory", .reason = "the files lie on tmpfs"};
  };
  const MeasureResult result = Measure(runner, options, nobody);
  const Profile profile = ProfileOf(options, result, 5000);
  ASSERT_EQ(profile.absent.size(), 1U);
  EXPECT_EQ(profile.absent[0].condition, "cold");
  EXPECT_EQ(profile.absent[0].reason, "rank 0: the files lie on tmpfs");
  EXPECT_FALSE(profile.stalls.fetch);
  EXPECT_FALSE(profile.first_epoch);
  EXPECT_NEAR(profile.steady_state->step_time_s.mean, 0.55, 1e-9);
}

TEST(RealData, ARungThatIsLostHalfWayLeavesTheFinishedRounds) {
  FakeRunner runner(kTwoMachines);
  runner.noise_s = 0.05;
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  const auto verified = runner.input;
  runner.input = [&](const BlockRequest& request, int block) {
    if (request.data == DataSource::kWarm || block < 60) return verified(request, block);
    return InputRecord{.state = "mixed", .reason = "a copy runs", .worth_a_retry = true};
  };
  const MeasureResult result = Measure(runner, options, nobody);
  EXPECT_EQ(result.unverified_rounds, 3);
  ASSERT_EQ(result.given_up.size(), 1U);
  EXPECT_GT(result.rounds.size(), 4U);
  for (const MeasuredRound& round : result.rounds) EXPECT_EQ(round.blocks.size(), 5U);
}

TEST(RealData, ASmallDataSetHasNoColdRungForItWouldReadFilesTwice) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  MeasureOptions options = OptionsFor(runner);
  options.data->samples = 100;
  const MeasureResult result = Measure(runner, options, nobody);
  ASSERT_EQ(result.given_up.size(), 1U);
  EXPECT_THAT(result.given_up[0].reason, testing::HasSubstr("the data set has 100"));
}

TEST(RealData, AServerThatMayHaveCachedIsSaid) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  const MeasureOptions options = OptionsFor(runner);
  const auto verified = runner.input;
  runner.input = [&](const BlockRequest& request, int block) {
    if (request.data == DataSource::kWarm) return verified(request, block);
    return InputRecord{.state = "client-cold", .reason = "the files lie on NFS"};
  };
  const Profile profile = ProfileOf(options, Measure(runner, options, nobody), 5000);
  EXPECT_EQ(profile.conditions.at("cold").cache, "client-cold");
  EXPECT_TRUE(profile.stalls.fetch);
}

TEST(RealData, AResumedRunGoesOnAfterTheLastRound) {
  FakeRunner runner(kTwoMachines);
  MeasureObserver nobody;
  MeasureOptions options = OptionsFor(runner);
  const MeasureResult first = Measure(runner, options, nobody);
  options.earlier = first.rounds;
  options.min_rounds = static_cast<int>(first.rounds.size()) + 3;
  const MeasureResult second = Measure(runner, options, nobody);
  // An even number of rounds, so that both devices have run solo as often.
  EXPECT_EQ(second.rounds.size(), first.rounds.size() + 4);
  EXPECT_EQ(second.rounds.back().index, second.rounds.size() - 1);
}

TEST(CachedShare, IsTheRoomOverTheDataSetAndNeverMoreThanAll) {
  EXPECT_DOUBLE_EQ(CachedShare(1000, 250), 0.25);
  EXPECT_DOUBLE_EQ(CachedShare(1000, 1000), 1);
  EXPECT_DOUBLE_EQ(CachedShare(1000, 5000), 1);
  EXPECT_DOUBLE_EQ(CachedShare(1000, 0), 0);
}

}  // namespace
}  // namespace stallscope
