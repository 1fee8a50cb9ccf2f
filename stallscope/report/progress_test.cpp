#include "stallscope/report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "stallscope/ladder/profile_for_tests.h"

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// In the middle of a full ladder.
MeasureProgress Somewhere() {
  MeasureProgress progress;
  progress.round = 4;
  progress.condition = Condition::kNode;
  progress.step_times_s = {{Condition::kSolo, 0.1},     {Condition::kCrowd, 0.11}, {Condition::kNode, 0.15},
                           {Condition::kCluster, 0.25}, {Condition::kWarm, 0.3},   {Condition::kCold, 0.4}};
  progress.stalls = StallsWithFetch(0.1);
  progress.widest_half_width = 0.041;
  progress.tolerance = 0.03;
  progress.elapsed_s = 98;
  progress.remaining_s = 245;
  progress.likely_left_s = 130;
  return progress;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// What a terminal shows after it received this: text, carriage returns, line feeds, and the
/// escapes A, K and J.
std::vector<std::string> ScreenAfter(const std::string& sent, std::size_t width) {
  std::vector<std::string> screen(1);
  std::size_t row = 0;
  std::size_t column = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const char c = sent[i];
    if (c == '\r') {
      column = 0;
    } else if (c == '\n') {
      column = 0;
      if (++row == screen.size()) screen.emplace_back();
    } else if (c == '\x1b') {
      const std::size_t end = sent.find_first_of("AKJ", i);
      if (sent[end] == 'A') row -= std::stoul(sent.substr(i + 2, end - i - 2));
      if (sent[end] == 'K' || sent[end] == 'J') screen[row].resize(column);
      if (sent[end] == 'J') screen.resize(row + 1);
      i = end;
    } else {
      screen[row].resize(std::max(screen[row].size(), column + 1));
      screen[row][column++] = c;
      EXPECT_LT(column, width) << "the terminal would wrap";
    }
  }
  return screen;
}

constexpr TextStyle kAscii{.color = false, .utf8 = false, .width = 80};

TEST(Progress, ElsewhereThanOnATerminalALineComesEveryTenSeconds) {
  double now_s = 0;
  std::ostringstream out;
  ProgressPrinter printer(out, false, {}, [&] { return now_s; });
  for (int second = 0; second < 25; ++second) {
    now_s = second;
    printer.OnProgress(Somewhere());
  }
  EXPECT_EQ(Lines(out.str()).size(), 3U);  // at 0, 10 and 20 s
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

TEST(Progress, TheLineSaysWhatIsKnownHowPreciselyAndHowLong) {
  // Of the 400 ms of a cold step: 50, 100, 50 and 100 ms, each known to 2 %.
  EXPECT_EQ(ProgressLine(Somewhere(), {}),
            "round 5, node: interconnect 12.5±2.0 %, network 25.0±2.0 %, prep 12.5±2.0 %, fetch 25.0±2.0 %; "
            "uncertain by 4.1 % of a step, 3.0 % asked; 1m38s so far, about 2m10s more, at most 4m05s");
}

TEST(Progress, WhatIsNotKnownYetIsLeftOut) {
  MeasureProgress progress;
  progress.elapsed_s = 5;
  progress.remaining_s = 3900;
  EXPECT_EQ(ProgressLine(progress, {}), "warming up, solo: 5s so far, at most 1h05m more");
  EXPECT_THAT(ProgressLines(progress, {}), ElementsAre("warming up, solo; 5s so far, at most 1h05m more"));
  progress = Somewhere();
  progress.stalls.reset();
  EXPECT_EQ(ProgressLines(progress, {}).back(), "uncertain by 4.1 % of a step, 3.0 % asked");
}

TEST(Progress, AStallOfASingleRoundHasNoInterval) {
  MeasureProgress progress = Somewhere();
  progress.stalls = Stalls{};
  progress.stalls->network = Stall{.seconds = Exactly(0.1), .share = Exactly(0.25)};
  EXPECT_THAT(ProgressLine(progress, {}), HasSubstr(": network 25.0 %;"));
}

TEST(Progress, TheLikelyEndIsNeverAfterTheLatest) {
  MeasureProgress progress = Somewhere();
  progress.likely_left_s = 900;
  EXPECT_THAT(ProgressLine(progress, {}), HasSubstr("about 4m05s more, at most 4m05s"));
}

TEST(Progress, ATerminalOfEightyColumnsShowsTheWholeLadderInThreeLines) {
  std::ostringstream out;
  ProgressPrinter printer(out, true, kAscii, [] { return 0.0; });
  printer.OnProgress(Somewhere());
  EXPECT_THAT(ScreenAfter(out.str(), 80),
              ElementsAre("round 5, node; 1m38s so far, about 2m10s more, at most 4m05s",
                          "solo 100ms, crowd 110ms, node 150ms, cluster 250ms, warm 300ms, cold 400ms",
                          "interconnect 12.5+-2.0 % network 25.0+-2.0 % prep 12.5+-2.0 % fetch 25.0+-2.0 %"));
}

TEST(Progress, OnATerminalNewLinesReplaceTheOldOnes) {
  std::ostringstream out;
  {
    ProgressPrinter printer(out, true, kAscii, [] { return 0.0; });
    MeasureProgress start;
    start.remaining_s = 300;
    printer.OnProgress(start);
    EXPECT_THAT(ScreenAfter(out.str(), 80), ElementsAre("warming up, solo; 0s so far, at most 5m00s more"));
    printer.OnProgress(Somewhere());
    printer.OnProgress(Somewhere());
    EXPECT_EQ(ScreenAfter(out.str(), 80).size(), 3U);
    printer.OnProgress(start);
    EXPECT_THAT(ScreenAfter(out.str(), 80), ElementsAre("warming up, solo; 0s so far, at most 5m00s more"));
    printer.OnProgress(Somewhere());
  }
  EXPECT_THAT(ScreenAfter(out.str(), 80), ElementsAre(""));
}

TEST(Progress, NoLineReachesTheEndOfTheTerminal) {
  for (const int width : {20, 40, 60, 80, 120}) {
    std::ostringstream out;
    ProgressPrinter printer(out, true, {.color = false, .utf8 = false, .width = width}, [] { return 0.0; });
    printer.OnProgress(Somewhere());
    for (const std::string& line : ScreenAfter(out.str(), static_cast<std::size_t>(width))) {
      EXPECT_LT(ColumnsOf(line), width);
    }
  }
}

TEST(Progress, AQuietEndDrawsNothing) {
  std::ostringstream out;
  { const ProgressPrinter printer(out, true, {}); }
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace stallscope
