#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/ladder/fake_runner.h"
#include "stallscope/law/measure_cell.h"
#include "stallscope/law/sweep_design.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/law/sweep_plan.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::ElementsAre;

SweepCell Cell(const std::string& bucket = "25MiB") {
  SweepCell cell;
  cell.network = DesignedNetworks("layers", {}).front();
  cell.bucket = bucket;
  cell.links = {ParseSweepLink("unshaped"), ParseSweepLink("200Mbit")};
  return cell;
}

TEST(SweepDesign, LayersHaveTheSameGradientBytes) {
  for (const SweepNetwork& network : DesignedNetworks("layers", {})) {
    const NetworkTotals totals = Totals(BuildNetwork(network.spec, OptionsOf(network)));
    EXPECT_NEAR(static_cast<double>(totals.gradient_bytes), 8.0 * (1 << 20), 0.01 * 8 * (1 << 20))
        << network.spec;
  }
}

TEST(SweepDesign, ListsMayHoldCommasOfSpecs) {
  EXPECT_THAT(SplitNetworks("layers,resnet18:norm=none,residual=none,vgg11"),
              ElementsAre("layers", "resnet18:norm=none,residual=none", "vgg11"));
  EXPECT_THROW(DesignedNetworks("resnet19", {}), UsageError);
  // A network of two families is one.
  EXPECT_EQ(DesignedNetworks(std::vector<std::string>{"resnet", "resnet18"}, {}).size(), 12U);
}

TEST(SweepPlan, DropsThePointThatOthersRepeat) {
  // Two launches. The second point says what the first does, the third what no other does.
  const std::vector<PlannedPoint> points = {{0, 0, 10, {1, 0}}, {0, 1, 10, {1, 0}}, {1, 0, 10, {0, 1}}};
  EXPECT_THAT(MostInformative(points, {1, 1}, 25), testing::AnyOf(ElementsAre(0U, 2U), ElementsAre(1U, 2U)));
  EXPECT_THAT(MostInformative(points, {1, 1}, 100), ElementsAre(0U, 1U, 2U));
  EXPECT_TRUE(MostInformative(points, {1, 1}, 5).empty());
}

TEST(SweepPlan, DropsTheDearerOfTwoEquals) {
  const std::vector<PlannedPoint> points = {{0, 0, 30, {1, 0}}, {1, 0, 10, {1, 0}}};
  EXPECT_THAT(MostInformative(points, {1, 1}, 20), ElementsAre(1U));
}

TEST(SweepPlan, KeepsWithinItsTime) {
  std::vector<SweepCell> cells;
  for (const SweepNetwork& network : DesignedNetworks(std::vector<std::string>{"layers", "resnet18"}, {})) {
    for (const char* bucket : {"tensor", "model"}) {
      cells.push_back(Cell(bucket));
      cells.back().network = network;
    }
  }
  const SweepPlan all = PlanSweep(cells, {}, {}, std::nullopt);
  EXPECT_EQ(all.points, 20U);
  EXPECT_TRUE(all.dropped.empty());
  const SweepPlan half = PlanSweep(cells, {}, {}, all.seconds / 2);
  EXPECT_LE(half.seconds, all.seconds / 2);
  EXPECT_EQ(half.points + half.dropped.size(), 20U);
  EXPECT_GT(half.points, 4U);
  EXPECT_TRUE(std::is_sorted(half.cell_seconds.begin(), half.cell_seconds.end())) << "the shortest first";
}

class CellTest : public testing::Test {
 protected:
  CellTest() : runner_({.nodes = 2, .devices_per_node = 1, .emulated = true}) {
    options_.clock = [this] { return runner_.now_s; };
    options_.cores = 2;
  }
  CellResult Measure() {
    return MeasureCell(
        runner_, Cell(), options_,
        [&](const SweepLink& link) {
          links_.push_back(link.name);
          runner_.cluster_s = link.rate ? 0.9 : 0.3;
        },
        [&](const SweepRound& round) { rounds_.push_back(round); });
  }

  FakeRunner runner_;
  CellOptions options_;
  std::vector<std::string> links_;
  std::vector<SweepRound> rounds_;
};

TEST_F(CellTest, StallIsTheStepLessThatWithoutSynchronisation) {
  const CellResult result = Measure();
  EXPECT_EQ(result.stopped_by, "tolerance");
  EXPECT_EQ(result.rounds.size(), 3U) << "nothing scatters: the least is enough";
  EXPECT_EQ(rounds_.size(), 3U);
  EXPECT_EQ(links_.front(), "unshaped") << "the reducer never meets a slow link first";
  // 0.3 - 0.21 and 0.9 - 0.21 s.
  EXPECT_NEAR(StallOver(result.rounds, "unshaped")->stall_s.mean, 0.09, 1e-9);
  EXPECT_NEAR(StallOver(result.rounds, "200Mbit")->stall_s.mean, 0.69, 1e-9);
  EXPECT_FALSE(StallOver(result.rounds, "1Gbit"));
}

TEST_F(CellTest, MeasuresLongerWhereRoundsScatter) {
  runner_.noise_s = 0.05;
  options_.short_rounds_s = 0;
  EXPECT_EQ(Measure().rounds.size(), static_cast<std::size_t>(options_.max_rounds));
  EXPECT_EQ(Measure().stopped_by, "rounds");
}

TEST_F(CellTest, ShortRoundsAreManyWhereTheyScatter) {
  runner_.noise_s = 0.05;
  options_.short_rounds_s = 1000;
  EXPECT_EQ(Measure().rounds.size(), static_cast<std::size_t>(options_.max_short_rounds));
}

TEST_F(CellTest, KeepsFinishedRoundsWhereARankIsLost) {
  runner_.fails_at_block = 2 + 3 + 1;  // two to warm up, a round of three, and one more
  const CellResult result = Measure();
  EXPECT_EQ(result.stopped_by, "failed");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.rounds.size(), 1U);
}

TEST_F(CellTest, DisturbedRoundsDoNotCount) {
  std::vector<SweepRound> rounds = Measure().rounds;
  rounds.front().crowd.steps_s = {0, 5, 5};
  rounds.front().crowd.polluted = true;
  EXPECT_NEAR(StallOver(rounds, "unshaped")->stall_s.mean, 0.09, 1e-9);
  EXPECT_EQ(StallOver(rounds, "unshaped")->clean, 2);
}

class SweepJournalTest : public CellTest {
 protected:
  SweepOrigin Origin() const {
    SweepOrigin origin;
    origin.created = "2026-01-01T00:00:00Z";
    origin.tool.version = "1";
    origin.host.name = "here";
    origin.host.kernel = "6";
    origin.private_cache_bytes = 2 << 20;
    return origin;
  }
  TemporaryFolder folder_;
};

TEST_F(SweepJournalTest, RoundsComeBackAndFurtherOnesAreAppended) {
  const CellResult result = Measure();
  {
    SweepJournal journal(folder_.path(), Origin(), false);
    journal.WriteWanted({Cell(), Cell("tensor")});
    journal.Write(Cell(), result.rounds[0], 2);
  }
  // Killed while it wrote.
  std::ofstream(folder_.path() / kSweepFile, std::ios::app) << "{\"cell\": {\"netw";
  {
    SweepJournal journal(folder_.path(), Origin(), true);
    journal.Write(Cell(), result.rounds[1], 3);
    journal.WriteFailure(Cell("tensor"), "rank 1 was killed");
  }
  const Sweep sweep = ReadSweep(folder_.path());
  ASSERT_EQ(sweep.cells.size(), 1U);
  EXPECT_TRUE(sweep.cells[0].cell.SameLaunch(Cell()));
  EXPECT_EQ(sweep.cells[0].rounds.size(), 2U);
  EXPECT_DOUBLE_EQ(sweep.cells[0].seconds, 5);
  EXPECT_EQ(sweep.cells[0].rounds[1].links.at("200Mbit").steps_s,
            result.rounds[1].links.at("200Mbit").steps_s);
  EXPECT_NEAR(StallOver(sweep.cells[0].rounds, "200Mbit")->stall_s.mean, 0.69, 1e-9);
  EXPECT_EQ(sweep.wanted.size(), 2U);
  EXPECT_EQ(sweep.origin.private_cache_bytes, 2 << 20);
  ASSERT_EQ(sweep.failed.size(), 1U);
  EXPECT_EQ(sweep.failed[0].first.bucket, "tensor");
}

TEST_F(SweepJournalTest, SweepsOfDifferentMachinesAreNotMixed) {
  Sweep one;
  one.origin = Origin();
  Sweep other = one;
  other.cells.push_back({Cell(), Measure().rounds, 1});
  Merge(one, other);
  EXPECT_EQ(one.cells.size(), 1U);
  other.origin.host.name = "elsewhere";
  EXPECT_THROW(Merge(one, other), UsageError);
  EXPECT_THROW(ReadSweep(folder_.path()), UsageError);
}

}  // namespace
}  // namespace stallscope
