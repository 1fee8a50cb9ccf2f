#include "stallscope/ladder/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "stallscope/ladder/fake_runner.h"

namespace stallscope {
namespace {

constexpr Layout kTwoMachines{.nodes = 2, .devices_per_node = 1, .emulated = true};
constexpr double kNetwork = 125e6;
constexpr double kGradientBytes = 40e6;

/// A job in which every injection costs what physics says, but for those that a test takes out.
class InjectedRunner : public FakeRunner {
 public:
  InjectedRunner() : FakeRunner(kTwoMachines) {
    input = [](const BlockRequest& request, int) {
      return InputRecord{.state = std::string(DataSourceName(request.data)),
                         .verified = true,
                         .samples = 8,
                         .read_s = 0.01,
                         .decode_s = 0.79,
                         .bytes = 600'000,
                         .bytes_taken = 400'000,
                         .device_bytes = 750'000};
    };
  }

  bool decoding_can_be_slowed = true;
  InjectionCase arranged;

  BlockResult Run(const BlockRequest& request) override {
    const double delay = request.inject.slow_rank_s;
    const double wire_s = BytesOnWire(kGradientBytes, 2) / kNetwork;
    solo_s = 0.2;
    crowd_s = 0.21;
    device_extra_s = {0, delay};
    cluster_s = 0.5 + delay;
    if (arranged.network_bytes_per_s) cluster_s += wire_s * (kNetwork / *arranged.network_bytes_per_s - 1);
    node_s = (arranged.node_bytes_per_s ? 0.5 : 0.3) + delay;
    const double slowed = decoding_can_be_slowed ? 8 * request.inject.least_sample_s : 0;
    warm_s = std::max({0.51, cluster_s, slowed});
    cold_s = warm_s;
    if (request.inject.storage_bytes_per_s > 0)
      cold_s = std::max(cold_s, 400e3 / request.inject.storage_bytes_per_s);
    // Whole pages: 750 kB for 600 kB of files.
    if (arranged.disk_bytes_per_s) cold_s = std::max(cold_s, 2 * 500e3 / *arranged.disk_bytes_per_s);
    BlockResult result = FakeRunner::Run(request);
    // The slow rank hands its gradients over later, and the other waits for it.
    for (RankBlock& rank : result.ranks) {
      for (StepRecord& step : rank.steps) {
        for (BucketTimes& bucket : step.buckets) {
          bucket.end_s += delay;
          if (rank.rank == 1) bucket.ready_s = bucket.begin_s += delay;
        }
      }
    }
    return result;
  }
};

SelfTestOptions OptionsFor(InjectedRunner& runner) {
  SelfTestOptions options{.layout = kTwoMachines,
                          .data = {.workers = 1, .shape = {.batch = 8, .ranks = 2}, .samples = 5000},
                          .gradient_bytes = kGradientBytes,
                          .network_bytes_per_s = kNetwork,
                          .limits_disk = true,
                          .max_time_s = 1};
  options.clock = [&runner] { return runner.now_s; };
  options.arrange = [&runner](const InjectionCase& injected, Condition) { runner.arranged = injected; };
  return options;
}

std::vector<std::string> Missed(const SelfTestResult& result) {
  std::vector<std::string> missed;
  for (const SelfTestCell& cell : result.cells) {
    if (!cell.passed) missed.push_back(cell.injection + "/" + cell.stall);
  }
  return missed;
}

TEST(SelfTest, EveryStallOfAnObedientJobIsFound) {
  InjectedRunner runner;
  const SelfTestResult result = RunSelfTest(runner, OptionsFor(runner));
  EXPECT_THAT(Missed(result), testing::IsEmpty());
  EXPECT_DOUBLE_EQ(result.PassedShare(), 1);
  // Seven cases with compute and five stalls each, and the skew of the slow rank.
  EXPECT_EQ(result.cases.size(), 7u);
  EXPECT_EQ(result.cells.size(), 7u * 6 + 1);
  EXPECT_EQ(result.rounds, 3);
}

TEST(SelfTest, AStallThatDoesNotAppearIsMissed) {
  InjectedRunner runner;
  runner.decoding_can_be_slowed = false;
  EXPECT_THAT(Missed(RunSelfTest(runner, OptionsFor(runner))), testing::Contains("decode/prep"));
}

TEST(SelfTest, EveryRoundHasEveryCaseOnEveryRung) {
  InjectedRunner runner;
  SelfTestOptions options = OptionsFor(runner);
  std::map<std::string, int> blocks;
  options.progress = [&](const std::string& line) {
    if (line.starts_with("round 2,")) ++blocks[line];
  };
  RunSelfTest(runner, options);
  EXPECT_EQ(blocks.size(), 8u * 6);  // the baseline and seven cases
  for (const auto& [line, count] : blocks)
    EXPECT_EQ(count, line.find("baseline") == std::string::npos ? 1 : 3) << line;
}

TEST(SelfTest, AnInterruptBeforeTwoRoundsLeavesNoCells) {
  InjectedRunner runner;
  SelfTestOptions options = OptionsFor(runner);
  options.interrupted = [&runner] { return runner.requests.size() > 40; };
  const SelfTestResult result = RunSelfTest(runner, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(result.cells, testing::IsEmpty());
}

TEST(SelfTest, ABlockThatOthersDisturbedIsRunAgain) {
  InjectedRunner runner;
  // Every fifth block: a whole core for 30 s.
  runner.foreign_s = [](int block) { return block % 5 == 0 ? 30.0 : 0.0; };
  const SelfTestResult result = RunSelfTest(runner, OptionsFor(runner));
  EXPECT_EQ(result.disturbed_blocks, 0);
  runner.foreign_s = [](int) { return 30.0; };
  EXPECT_GT(RunSelfTest(runner, OptionsFor(runner)).disturbed_blocks, 100);
}

TEST(SelfTest, FilesThatCannotBeEvictedEndItWithTheReason) {
  InjectedRunner runner;
  runner.input = [](const BlockRequest&, int) {
    return InputRecord{.state = "mixed", .verified = false, .reason = "somebody reads them"};
  };
  try {
    RunSelfTest(runner, OptionsFor(runner));
    FAIL() << "it went on";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("somebody reads them"));
  }
}

}  // namespace
}  // namespace stallscope
