#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/ladder/fake_runner.h"
#include "stallscope/ladder/profile_for_tests.h"
#include "stallscope/report/console.h"
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

/// All that the lines between table and verdict can tell.
Profile Loaded() {
  Profile profile = FullLadder();
  profile.optimal =
      OptimalLoading{.workers_per_device = 2, .cached_share = 0.75, .cache_bytes = 4'800'000'000};
  profile.reference = ReferenceInfo{
      .file = "other.json", .node_step_time_s = Exactly(0.13), .network = SureStall(0.12, 0.25)};
  return profile;
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

TEST(Style, ShorteningCutsBetweenCodePoints) {
  EXPECT_EQ(Shorten("a±b", 2), "a±");
  EXPECT_EQ(Shorten("a±b", 1), "a");
  EXPECT_EQ(Shorten("a±b", 9), "a±b");
}

TEST(Style, WrappedLinesAreIndented) {
  EXPECT_EQ(Wrap("aa bb cc dd", 5, 2), "aa bb\n  cc\n  dd");
  EXPECT_EQ(Wrap("(12 to 16 %); 250 ms", 10, 0), "(12 to\n16 %);\n250 ms");
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
    Profile emulated = Loaded();
    emulated.cluster.emulated = true;
    for (const Profile& profile : {Golden(), Loaded(), emulated}) {
      for (const std::string& line :
           Lines(Printed(profile, {.color = false, .utf8 = true, .width = width}))) {
        EXPECT_LE(ColumnsOf(line), width) << line;
      }
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

TEST(Console, TheTotalsAndWhatLoadingNeedsFollowTheTable) {
  const std::string text = Printed(Loaded(), {.color = false, .utf8 = true, .width = 120});
  EXPECT_THAT(
      text,
      HasSubstr("\nfirst epoch: 400 ms a step; steady state: 350 ms (memory holds 50 % of the data set)\n"));
  EXPECT_THAT(text, HasSubstr("\nloader alone 300 ms, storage alone 400 ms a step\n"));
  EXPECT_THAT(text,
              HasSubstr("\noptimal: 2 workers per device (now 1); cache 4.80 GB on each machine (75 % of "
                        "the data set)\n"));
  EXPECT_THAT(text,
              HasSubstr("\nagainst one machine with the same devices (other.json): network stall 120 ms ± "
                        "5.00 ms (48.0 % ± 2.0 %)\n"));
  EXPECT_THAT(text, HasSubstr("of it copy"));
  EXPECT_THAT(text, Not(HasSubstr("unverified")));
}

TEST(Console, ADataSetThatFitsSaysSo) {
  Profile profile = Loaded();
  profile.steady_state->cached_share = 1;
  profile.optimal = OptimalLoading{.workers_per_device = 1, .cached_share = 0, .cache_bytes = 0};
  const std::string text = Printed(profile, {.color = false, .utf8 = true, .width = 120});
  EXPECT_THAT(text, HasSubstr("(the data set fits into memory)"));
  EXPECT_THAT(text, HasSubstr("optimal: 1 worker per device (now 1); no cache needed\n"));
}

TEST(Console, WithoutDataNothingIsSaidOfLoading) {
  const std::string text = Printed(Golden(), {.color = false, .utf8 = true, .width = 120});
  for (const char* word : {"first epoch", "alone", "optimal", "against", "copy"}) {
    EXPECT_THAT(text, Not(HasSubstr(word)));
  }
}

TEST(Console, UnverifiedRoundsAreCountedInTheTitle) {
  Profile profile = Loaded();
  profile.rounds_unverified = 3;
  EXPECT_THAT(Printed(profile, {}),
              HasSubstr("12 rounds kept, 0 dropped, 3 unverified; stopped by tolerance"));
}

TEST(Console, ALongReasonStaysWithinItsColumn) {
  Profile profile = Golden();
  profile.absent.back().reason = std::string(30, 'a') + ' ' + std::string(40, 'b') + " c";
  EXPECT_THAT(
      Printed(profile, {.color = false, .utf8 = true, .width = 80}),
      HasSubstr("cold     absent: " + std::string(30, 'a') + "\n         " + std::string(40, 'b') + " c\n"));
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

}  // namespace
}  // namespace stallscope
