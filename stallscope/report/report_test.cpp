#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/ladder/fake_runner.h"
#include "stallscope/report/console.h"
#include "stallscope/report/progress.h"
#include "stallscope/report/steps_csv.h"
#include "stallscope/report/style.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Profile Golden() {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../tests/golden/profile.json";
  return ProfileFromJson(ReadFile(path), "golden");
}

std::string Printed(const Profile& profile, const TextStyle& style) {
  std::ostringstream out;
  PrintProfile(profile, style, out);
  return out.str();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Style, ColourFollowsTheChoiceThenTheTerminalThenNoColor) {
  EXPECT_TRUE(UseColor(ColorChoice::kAuto, true, nullptr, "xterm"));
  EXPECT_FALSE(UseColor(ColorChoice::kAuto, false, nullptr, "xterm"));
  EXPECT_FALSE(UseColor(ColorChoice::kAuto, true, "1", "xterm"));
  EXPECT_TRUE(UseColor(ColorChoice::kAuto, true, "", "xterm"));
  EXPECT_FALSE(UseColor(ColorChoice::kAuto, true, nullptr, "dumb"));
  EXPECT_TRUE(UseColor(ColorChoice::kAlways, false, "1", nullptr));
  EXPECT_FALSE(UseColor(ColorChoice::kNever, true, nullptr, "xterm"));
  EXPECT_THROW(ParseColorChoice("sometimes"), UsageError);
}

TEST(Style, TheFirstSetLocaleVariableDecides) {
  EXPECT_TRUE(LocaleIsUtf8(nullptr, "", "en_GB.UTF-8"));
  EXPECT_TRUE(LocaleIsUtf8("C.utf8", nullptr, "C"));
  EXPECT_FALSE(LocaleIsUtf8("C", nullptr, "en_GB.UTF-8"));
  EXPECT_FALSE(LocaleIsUtf8(nullptr, nullptr, nullptr));
}

TEST(Style, BarsCountInEighths) {
  EXPECT_EQ(Bar(0.5, 4, true), "██");
  // 0.3 of 5 columns is 1.5 columns.
  EXPECT_EQ(Bar(0.3, 5, true), "█▌");
  EXPECT_EQ(Bar(0.3, 10, false), "###");
  EXPECT_EQ(Bar(-0.3, 10, true), "");
  EXPECT_EQ(ColumnsOf(Bar(7, 10, true)), 10);
}

TEST(Style, WrappedLinesAreIndented) {
  EXPECT_EQ(Wrap("aa bb cc dd", 5, 2), "aa bb\n  cc\n  dd");
  EXPECT_EQ(PadLeft("±1", 4), "  ±1");
}

TEST(Console, TheTableHasEveryRungWithItsStallAndAbsentOnesWithTheirReason) {
  const std::string text = Printed(Golden(), {.color = false, .utf8 = true, .width = 110});
  EXPECT_THAT(text, HasSubstr("solo     250 ms ± 5.00 ms    compute"));
  EXPECT_THAT(text, HasSubstr("73.5 % ± 2.0 %"));
  EXPECT_THAT(text, HasSubstr("contention"));
  EXPECT_THAT(text, HasSubstr("indistinguishable from zero"));
  EXPECT_THAT(text, HasSubstr("= interconnect"));
  EXPECT_THAT(text, HasSubstr("cluster  absent: one machine"));
  EXPECT_THAT(text, HasSubstr("26 % of a step waits for the interconnect (24 to 28 %)."));
  EXPECT_THAT(text, HasSubstr("2 of 18 rounds were dropped"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[")));
}

TEST(Console, LinesFitTheWidth) {
  for (const int width : {80, 100, 120}) {
    for (const std::string& line : Lines(Printed(Golden(), {.color = false, .utf8 = true, .width = width}))) {
      EXPECT_LE(ColumnsOf(line), width) << line;
    }
  }
}

TEST(Console, WithoutUtf8EveryByteIsAscii) {
  const std::string text = Printed(Golden(), {.color = false, .utf8 = false, .width = 100});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 128);
  EXPECT_THAT(text, HasSubstr("250 ms +- 5.00 ms"));
}

TEST(Console, ColourChangesNoText) {
  std::string painted = Printed(Golden(), {.color = true, .utf8 = true, .width = 110});
  EXPECT_THAT(painted, HasSubstr("\x1b["));
  for (std::size_t at = painted.find('\x1b'); at != std::string::npos; at = painted.find('\x1b')) {
    painted.erase(at, painted.find('m', at) - at + 1);
  }
  EXPECT_EQ(painted, Printed(Golden(), {.color = false, .utf8 = true, .width = 110}));
}

TEST(Console, ANegativeStallIsPrintedNegative) {
  Profile profile = Golden();
  profile.stalls.contention =
      Stall{.seconds = {-0.01, -0.012, -0.008}, .share = {-0.03, -0.036, -0.024}, .distinguishable = true};
  EXPECT_THAT(Printed(profile, {}), HasSubstr("-10.0 ms"));
}

TEST(Console, ALadderWithoutSoloStandsOnItsLowestRung) {
  Profile profile = Golden();
  profile.conditions.erase("solo");
  profile.absent.insert(profile.absent.begin(), {.condition = "solo", .reason = "too big for one device"});
  profile.stalls.contention.reset();
  const std::string text = Printed(profile, {.color = false, .utf8 = true, .width = 110});
  EXPECT_THAT(text, HasSubstr("solo     absent: too big for one device"));
  EXPECT_THAT(text, HasSubstr("crowd    255 ms ± 7.00 ms    compute"));
}

TEST(Verdict, SpeaksOfEveryPresentStall) {
  Profile profile = Golden();
  profile.stalls.network =
      Stall{.seconds = {0.001, -0.01, 0.012}, .share = {0.002, -0.02, 0.03}, .distinguishable = false};
  EXPECT_EQ(Verdict(profile),
            "26 % of a step waits for the interconnect (24 to 28 %); waiting for the network is "
            "indistinguishable from zero (-2 to 3 %).");
  profile.stalls = {};
  EXPECT_EQ(Verdict(profile), "One rung alone shows no stall.");
}

MeasuredBlock SomeBlock() {
  FakeRunner runner({.nodes = 1, .devices_per_node = 2});
  MeasuredBlock block;
  block.round = 4;
  block.block = 17;
  block.condition = Condition::kNode;
  block.skipped_steps = 1;
  block.foreign = {.seconds = 0.25, .polluted = true};
  block.result = runner.Run(RequestFor(Condition::kNode, runner.layout, 0, 2));
  return block;
}

TEST(StepsCsv, HasOneRowPerRankAndStepAndSaysWhichCount) {
  std::ostringstream out;
  WriteStepsHeader(out);
  WriteSteps(SomeBlock(), out);
  const std::vector<std::string> lines = Lines(out.str());
  ASSERT_EQ(lines.size(), 1U + 2 * 2);
  EXPECT_EQ(std::count(lines[0].begin(), lines[0].end(), ','),
            std::count(lines[1].begin(), lines[1].end(), ','));
  EXPECT_THAT(lines[1], testing::StartsWith("4,node,17,0,0,0,"));
  EXPECT_THAT(lines[1], testing::EndsWith(",0.300000000,0,0,0.250,1"));
  EXPECT_THAT(lines[2], testing::EndsWith(",0.300000000,0,1,0.250,1"));
}

TEST(StepsCsv, BucketsHaveTheirOwnRows) {
  std::ostringstream out;
  WriteBucketsHeader(out);
  WriteBuckets(SomeBlock(), out);
  EXPECT_EQ(Lines(out.str())[1], "4,node,17,0,0,0,1000,0.100000000,0.100000000,0.150000000");
}

TEST(StepsCsv, EveryFinishedBlockIsOnTheDiskAtOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "stallscope-steps-csv";
  std::filesystem::remove_all(folder);
  EXPECT_THROW(StepsCsv missing(folder), Error);
  std::filesystem::create_directory(folder);
  StepsCsv csv(folder);
  csv.OnBlock(SomeBlock());
  EXPECT_EQ(Lines(ReadFile(folder / "steps.csv")).size(), 5U);
  EXPECT_EQ(Lines(ReadFile(folder / "buckets.csv")).size(), 5U);
  std::filesystem::remove_all(folder);
}

TEST(Progress, ElsewhereThanOnATerminalALineComesEveryTenSeconds) {
  double now_s = 0;
  std::ostringstream out;
  ProgressPrinter printer(out, false, {}, [&] { return now_s; });
  MeasureProgress progress;
  for (int second = 0; second < 25; ++second) {
    now_s = second;
    printer.OnProgress(progress);
  }
  EXPECT_EQ(Lines(out.str()).size(), 3U);  // at 0, 10 and 20 s
}

TEST(Progress, OnATerminalOneLineIsDrawnAgainAndClearedAtTheEnd) {
  std::ostringstream out;
  {
    ProgressPrinter printer(out, true, {}, [] { return 0.0; });
    printer.OnProgress({});
    printer.OnProgress({});
  }
  EXPECT_EQ(out.str().find('\n'), std::string::npos);
  EXPECT_THAT(out.str(), testing::EndsWith("\r\x1b[K"));
}

TEST(Progress, TheLineSaysHowPreciseAndHowLong) {
  MeasureProgress progress;
  progress.round = 4;
  progress.condition = Condition::kNode;
  progress.widest_half_width = 0.041;
  progress.tolerance = 0.03;
  progress.elapsed_s = 38;
  progress.remaining_s = 240;
  EXPECT_EQ(ProgressLine(progress),
            "round 5, node: uncertain by 4.1 % of a step, 3.0 % asked; 38 s so far, at most 4 min more");
}

}  // namespace
}  // namespace stallscope
