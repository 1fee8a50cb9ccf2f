#include "stallscope/probe/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "stallscope/probe/watch.h"

namespace stallscope {
namespace {

using namespace std::chrono_literals;

const auto kAlways = [](int, const std::string&) { return true; };

std::function<double()> Undisturbed() {
  return [] { return 0.0; };
}

TEST(ProbeRounds, EveryRoundMeasuresEveryTaskOnceInAnOrderOfItsOwn) {
  std::vector<std::string> order;
  std::vector<ProbeTask> tasks;
  for (const char* name : {"a", "b", "c", "d"}) {
    tasks.push_back({name, [&order, name](int round) {
                       order.emplace_back(name);
                       return static_cast<double>(round);
                     }});
  }
  const ProbeRounds rounds =
      RunRounds(tasks, {.max_time = 0s, .fewest = 6, .seed = 5, .watch = Undisturbed}, kAlways);
  ASSERT_EQ(rounds.count(), 6U);
  EXPECT_EQ(rounds.stopped_by, "max-time");
  std::set<std::vector<std::string>> orders;
  for (std::size_t round = 0; round < 6; ++round) {
    const std::vector<std::string> one(order.begin() + static_cast<std::ptrdiff_t>(4 * round),
                                       order.begin() + static_cast<std::ptrdiff_t>(4 * round + 4));
    EXPECT_EQ(std::set<std::string>(one.begin(), one.end()).size(), 4U);
    orders.insert(one);
  }
  EXPECT_GT(orders.size(), 2U);
  EXPECT_EQ(rounds.Of("c"), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(ProbeRounds, WhatOthersDisturbedIsMeasuredAgainAtTheEndOfItsRound) {
  // The first two tries of "b" in every round are disturbed, and wrong.
  std::string order;
  int tries = 0;
  const std::vector<ProbeTask> tasks = {{"a",
                                         [&](int) {
                                           order += 'a';
                                           return 1.0;
                                         }},
                                        {"b", [&](int) {
                                           order += 'b';
                                           return ++tries % 3 == 0 ? 2.0 : 9.0;
                                         }}};
  RoundOptions options{.max_time = 0s, .fewest = 4};
  options.watch = [&] { return [&] { return order.back() == 'b' && tries % 3 != 0 ? 5.0 : 0.5; }; };
  const ProbeRounds rounds = RunRounds(tasks, options, kAlways);
  EXPECT_EQ(rounds.Of("b"), (std::vector<double>{2, 2, 2, 2}));
  EXPECT_EQ(rounds.disturbed, 0);
  for (std::size_t round = 0; round < 4; ++round) EXPECT_EQ(order.substr(4 * round + 2, 2), "bb");
}

TEST(ProbeRounds, OnAMachineThatIsNeverIdleTheLeastDisturbedValueCounts) {
  const std::vector<double> disturbances = {4, 2, 3};
  std::size_t tries = 0;
  const std::vector<ProbeTask> tasks = {{"a", [&](int) { return disturbances[tries++ % 3]; }}};
  RoundOptions options{.max_time = 0s, .fewest = 2};
  options.watch = [&] { return [&] { return disturbances[(tries - 1) % 3]; }; };
  const ProbeRounds rounds = RunRounds(tasks, options, kAlways);
  EXPECT_EQ(rounds.Of("a"), (std::vector<double>{2, 2}));
  EXPECT_EQ(rounds.disturbed, 2);
}

TEST(ProbeRounds, WhatStayedDisturbedCountsOnlyWhereTooLittleElseIsLeft) {
  ProbeRounds rounds;
  rounds.names = {"mostly alone", "hardly alone"};
  rounds.values = {{1, 9, 1, 2}, {1, 9, 8, 2}};
  rounds.calm = {{true, false, true, true}, {true, false, false, true}};
  EXPECT_EQ(rounds.CalmOf("mostly alone"), (std::vector<double>{1, 1, 2}));
  EXPECT_EQ(rounds.CalmOf("hardly alone"), (std::vector<double>{1, 9, 8, 2}));
}

TEST(ProbeRounds, RoundsRememberWhichValuesStayedDisturbed) {
  const std::vector<ProbeTask> tasks = {{"a", [](int round) { return static_cast<double>(round); }}};
  int round = -1;
  RoundOptions options{.max_time = 0s, .fewest = 5};
  options.watch = [&] { return [&] { return round == 1 ? 3.0 : 0.5; }; };
  const ProbeRounds rounds = RunRounds(tasks, options, [&](int now, const std::string&) {
    round = now;
    return true;
  });
  EXPECT_EQ(rounds.Of("a"), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(rounds.CalmOf("a"), (std::vector<double>{0, 2, 3, 4}));
}

TEST(ProbeRounds, StopBeforeTheTimeIsOver) {
  const std::vector<ProbeTask> tasks = {{"sleep", [](int) {
                                           std::this_thread::sleep_for(20ms);
                                           return 1.0;
                                         }}};
  const ProbeRounds rounds = RunRounds(tasks, {.max_time = 300ms, .watch = Undisturbed}, kAlways);
  EXPECT_GE(rounds.count(), 3U);
  EXPECT_LE(rounds.count(), 15U);  // each takes 20 ms or more
}

TEST(ProbeRounds, ARoundThatIsInterruptedCountsNowhere) {
  const std::vector<ProbeTask> tasks = {{"a", [](int) { return 1.0; }}, {"b", [](int) { return 2.0; }}};
  int asked = 0;
  const ProbeRounds rounds = RunRounds(tasks, {.max_time = 10s, .watch = Undisturbed},
                                       [&](int, const std::string&) { return ++asked <= 5; });
  EXPECT_EQ(rounds.count(), 2U);
  EXPECT_EQ(rounds.Of("a").size(), 2U);
  EXPECT_EQ(rounds.stopped_by, "interrupt");
}

TEST(ProbeRounds, HalvesBecomeOneSeries) {
  const std::vector<ProbeTask> tasks = {{"round", [](int round) { return static_cast<double>(round); }}};
  ProbeRounds rounds;
  rounds.Append(RunRounds(tasks, {.max_time = 0s, .fewest = 2}, kAlways), 0);
  rounds.Append(RunRounds(tasks, {.max_time = 0s, .fewest = 3, .first_round = 2}, kAlways), 30);
  EXPECT_EQ(rounds.Of("round"), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_GE(rounds.times_s[2], 30);
  EXPECT_TRUE(std::is_sorted(rounds.times_s.begin(), rounds.times_s.end()));
}

TEST(Watch, ReportsWhatDriftsAndWhatStandsOut) {
  ProbeRounds rounds;
  rounds.names = {"steady", "falling"};
  rounds.values.resize(2);
  for (int i = 0; i < 20; ++i) {
    const double noise = i % 2 == 0 ? 0.5 : -0.5;
    rounds.times_s.push_back(30.0 * i);
    rounds.values[0].push_back(i == 7 ? 50 : 100 + noise + 0.1 * (i % 3));
    rounds.values[1].push_back(100 - 2 * i + noise);
  }
  const WatchResult watch = WatchOf(rounds);
  EXPECT_DOUBLE_EQ(watch.duration_s, 570);
  EXPECT_TRUE(watch.drifts[0].change.HoldsZero());
  EXPECT_FALSE(watch.drifts[1].change.HoldsZero());
  // From 100 to 62 around a mean of 81.
  EXPECT_NEAR(watch.drifts[1].change.mean, -38.0 / 81, 0.01);
  ASSERT_EQ(watch.outliers.size(), 1U);
  EXPECT_EQ(watch.outliers[0].quantity, "steady");
  EXPECT_DOUBLE_EQ(watch.outliers[0].at_s, 210);
}

}  // namespace
}  // namespace stallscope
