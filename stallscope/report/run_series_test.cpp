#include "stallscope/report/run_series.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/binned_course.h"
#include "stallscope/report/clock_offsets.h"
#include "stallscope/report/run_blocks.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

class RunFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        fmt::format("stallscope-series-{}", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Step(const std::string& round, const char* condition, int block, int rank, int step, double total,
            int counted = 1, int polluted = 0) {
    text_ += fmt::format("{},{},{},{},{},{},{},0,0,0.1,0.2,{},0.05,{},1,{},0,{}\n", round, condition, block,
                         rank, rank, step, 10 + step, total - 0.35, total, counted, polluted);
  }
  void Write() { WriteFileAtomically(folder_ / "steps.csv", text_); }

  std::filesystem::path folder_;
  std::string text_ =
      "round,condition,block,rank,node,step,start_s,data_wait_s,copy_s,forward_s,backward_s,"
      "exposed_communication_s,optimizer_s,total_s,loss,counted,foreign_s,polluted\n";
};

TEST(BinnedCourse, WidensAsItGoesOnAndLosesNoExtreme) {
  BinnedCourse course(4);
  for (int i = 0; i < 1000; ++i) course.Add(i, i == 777 ? 50.0 : i == 123 ? -3.0 : 1.0);
  ASSERT_LE(course.bins().size(), 4U);
  // 4 bins of 256 are the first that hold a thousand.
  EXPECT_EQ(course.width(), 256);
  EXPECT_DOUBLE_EQ(course.bins().at(777 / 256).largest, 50);
  EXPECT_DOUBLE_EQ(course.bins().at(0).least, -3);
  std::int64_t count = 0;
  double sum = 0;
  for (const auto& bin : course.bins()) {
    count += bin.count;
    sum += bin.sum;
  }
  EXPECT_EQ(count, 1000);
  // 998 ones, 50 and -3.
  EXPECT_NEAR(sum, 1045, 1e-9);
}

TEST_F(RunFolder, OnlyStepsThatCountAreDrawn) {
  Step("", "node", 0, 0, 0, 9);      // warm-up
  Step("0", "node", 1, 0, 0, 8, 0);  // settling
  Step("0", "node", 1, 0, 1, 0.5);
  Step("0", "node", 1, 1, 0, 8, 0);
  Step("0", "node", 1, 1, 1, 0.7);
  Step("1", "node", 2, 0, 0, 0.6);
  Step("1", "node", 2, 1, 0, 0.6);
  Write();
  const Json series = SeriesOfRun(folder_, {"node"});
  EXPECT_EQ(series["rows"], 7);
  const Json& node = series["steps"]["node"];
  EXPECT_EQ(node["count"], 4);
  EXPECT_DOUBLE_EQ(node["least"], 0.5);
  EXPECT_DOUBLE_EQ(node["largest"], 0.7);
  // Two places: the first step of each round that counts.
  EXPECT_EQ(node["course"].dump(), "[[0.5,0.6,0.7],[0.6,0.6,0.6]]");
  // Rank 1 waited (0.7 - 0.35 + 0.6 - 0.35) / 2 = 0.3 s.
  EXPECT_DOUBLE_EQ(series["ranks"]["rows"][1]["exposed_communication_s"], 0.3);
}

TEST_F(RunFolder, PollutedRoundsUnfinishedRoundsAndRepeatedBlocksDoNotCount) {
  for (const char* round : {"0", "1", "2", "3"}) {
    const int number = round[0] - '0';
    Step(round, "solo", 3 * number, 0, 0, 1);
    if (number == 3) continue;  // unfinished
    Step(round, "node", 3 * number + 1, 0, 0, 2, 1, number == 1);
    if (number == 2) Step(round, "node", 8, 0, 0, 3);  // once more
  }
  Write();
  //                                             0: solo, node; 1: both polluted; 2: solo, node, node; 3: solo
  const std::vector<bool> expected = {true, true, false, false, true, false, true, false};
  EXPECT_EQ(CountingBlocks(folder_, {"solo", "node"}), expected);
}

TEST_F(RunFolder, OnAMachineThatIsNeverIdleAllCount) {
  for (const char* round : {"0", "1", "2"}) Step(round, "solo", round[0] - '0', 0, 0, 1, 1, round[0] != '0');
  Write();
  EXPECT_EQ(CountingBlocks(folder_, {"solo"}), std::vector<bool>({true, true, true}));
}

TEST_F(RunFolder, AFolderWithoutStepsHasNoSeries) {
  EXPECT_TRUE(SeriesOfRun(folder_, {"solo"}).empty());
}

TEST_F(RunFolder, WhatIsNoNumberIsNamedByItsLineAndALineThatWasCutOffIsPassedOver) {
  Step("0", "solo", 0, 0, 0, 1);
  text_ += "0,solo,0,0,0,1,11,0,0";
  Write();
  EXPECT_EQ(SeriesOfRun(folder_, {"solo"})["rows"], 1);
  text_ += ",0,0,0,0,oops,1,1,0,0\n";
  Write();
  try {
    SeriesOfRun(folder_, {"solo"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("line 3: total_s 'oops' is no number"));
  }
}

StepRecord StepWith(double start_s, double begin_s, double end_s) {
  StepRecord step{.start_s = start_s};
  step.buckets = {{.bytes = 1, .ready_s = begin_s, .begin_s = begin_s, .end_s = end_s}};
  return step;
}

TEST(ClockOffsets, NobodyHasAnAverageBeforeEverybodyHandedItsPartOver) {
  // Machine 1's clock is 100 s ahead. By the first one's clock it hands over at 1.0 and 2.2, and all have the
  // averages at 1.5 and 2.5: the first bucket says ahead >= 101.0 - 1.5, and ahead <= 101.5 - 0.9; the second
  // 102.2 - 2.5 and 102.5 - 2.1. Together 99.7 to 100.4.
  RunBlock block{.condition = "cluster"};
  block.ranks.push_back({.rank = 0, .node = 0, .steps = {StepWith(0, 0.9, 1.5), StepWith(2, 0.1, 0.5)}});
  block.ranks.push_back({.rank = 1, .node = 1, .steps = {StepWith(100, 1.0, 1.5), StepWith(102, 0.2, 0.5)}});
  const auto offsets = OffsetsOfBlock(block);
  ASSERT_TRUE(offsets.contains(1));
  EXPECT_NEAR(offsets.at(1).ahead_s, (99.7 + 100.4) / 2, 1e-9);
  EXPECT_NEAR(offsets.at(1).error_s, (100.4 - 99.7) / 2, 1e-9);
}

TEST(ClockOffsets, BlocksThatReduceNothingTakeTheNearestOnes) {
  RunBlock cluster{.condition = "cluster"};
  cluster.ranks.push_back({.rank = 0, .node = 0, .steps = {StepWith(0, 1, 2)}});
  cluster.ranks.push_back({.rank = 1, .node = 1, .steps = {StepWith(50, 1, 2)}});
  RunBlock solo{.condition = "solo"};
  ClockOffsets clocks(false);
  clocks.Add(solo);
  clocks.Add(cluster);
  EXPECT_NEAR(clocks.Of(0, 1)->ahead_s, 50, 1e-9);
  EXPECT_FALSE(clocks.Of(0, 2));
  EXPECT_EQ(ClockOffsets(true).Of(0, 1)->error_s, 0);
}

}  // namespace
}  // namespace stallscope
