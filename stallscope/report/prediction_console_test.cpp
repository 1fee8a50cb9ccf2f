#include "stallscope/report/prediction_console.h"

#include <gtest/gtest.h>

#include <sstream>

#include "stallscope/document/prediction_for_tests.h"
#include "stallscope/report/prediction_text.h"

namespace stallscope {
namespace {

std::string Text(const Prediction& prediction) {
  std::ostringstream out;
  PrintPrediction(prediction, {.color = false, .utf8 = false, .width = 80}, out);
  return out.str();
}

void ExpectLine(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line), std::string::npos) << line << "\nis not in\n" << text;
}

TEST(PredictionConsole, OneMachineShowsEveryPartWithIntervalShareAndBasis) {
  const std::string text = Text(PredictionOf({{FullMachine(), std::nullopt}}));
  ExpectLine(text, "compute            120 ms          108 ms to 144 ms   60.0 %  published  #####");
  ExpectLine(text, "step time          200 ms          180 ms to 240 ms  100.0 %  scaled");
  ExpectLine(text, "epoch            16.7 min      15.0 min to 20.0 min");
  ExpectLine(text, "epoch's cost     6.80 USD      6.12 USD to 8.16 USD");
  ExpectLine(text, "2 x 12.24 USD an hour in us-east-1, list of 2026-03-31 (stale), for the");
  ExpectLine(text, "it waits longest for the network,\n25.0 % of it.");
}

TEST(PredictionConsole, WhatIsAbsentSaysWhyOnce) {
  const std::string text = Text(PredictionOf({{BareMachine(), std::nullopt}}));
  ExpectLine(text, "no network: one machine\nno prep, no fetch, no epoch: no data set is given\n");
}

TEST(PredictionConsole, SeveralMachinesAreOneTableThatFitsEightyColumns) {
  PredictedMachine slow = FullMachine();
  slow.instance = "Standard_ND96asr_v4";
  slow.samples_per_s = {640, 600, 700};
  slow.epoch_cost_usd = Estimate{3, 2.5, 3.5};
  Prediction prediction = PredictionOf({{FullMachine(), std::nullopt}, {slow, std::nullopt}});
  prediction.refused = {{"g4dn.xlarge", 2, "the batch does not fit", "use --batch 8"}};
  const std::string text = Text(prediction);
  ExpectLine(text, "2 x p3.8xlarge            200 ms   180 ms to 240 ms      1280 16.7 min    6.80");
  ExpectLine(text, "not predicted: 2 x g4dn.xlarge: the batch does not fit; use --batch 8");
  ExpectLine(text, "Fastest: 2 x p3.8xlarge, 1280 samples/s.");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(PredictionConsole, TooCloseToCallIsSaid) {
  // 6.80 USD (6.12 to 8.16) against 7.00 (6.50 to 7.50): 6.50 is below 8.16.
  PredictedMachine other = FullMachine();
  other.instance = "other";
  other.epoch_cost_usd = Estimate{7, 6.5, 7.5};
  const std::string text = Text(PredictionOf({{FullMachine(), std::nullopt}, {other, std::nullopt}}));
  ExpectLine(text, "Cheapest per epoch: 2 x p3.8xlarge, 6.80 USD");
  ExpectLine(text, "the intervals of 2 x other");
}

TEST(PredictionConsole, AWhatIfStandsBesideThePlainPrediction) {
  PredictedMachine changed = FullMachine();
  changed.network->seconds = {0.02, 0.01, 0.03};
  changed.step_time_s = {0.17, 0.15, 0.2};
  const PredictedChange change{"25 Gbit between machines", {-0.15, -0.2, -0.1}, changed};
  const std::string text = Text(PredictionOf({{FullMachine(), change}}));
  ExpectLine(text, "what if 2 x p3.8xlarge had 25 Gbit between machines");
  // 50 ms - 20 ms.
  ExpectLine(text, "network             50.0 ms     20.0 ms   -30.0 ms");
  ExpectLine(text, "step time            200 ms      170 ms   -15 % (-20 % to -10 %)");
}

TEST(PredictionText, NumbersHaveThreeDigitsAndAUnitThatFits) {
  EXPECT_EQ(NumberText(1974.4), "1974");
  EXPECT_EQ(NumberText(0.01234), "0.0123");
  EXPECT_EQ(CountText(25'557'032), "25.6 million");
  EXPECT_EQ(CountText(33'600), "33.6 thousand");
  EXPECT_EQ(CountText(512), "512");
  EXPECT_EQ(EpochText(59.5), "59.5 s");
  EXPECT_EQ(EpochText(650), "10.8 min");
  EXPECT_EQ(EpochText(7200), "2.00 h");
  EXPECT_EQ(EpochText(5 * 86400), "5.00 days");
  EXPECT_EQ(ChangeText(-0.034), "-3.4 %");
  EXPECT_EQ(ChangeText(0.12), "+12 %");
}

}  // namespace
}  // namespace stallscope
