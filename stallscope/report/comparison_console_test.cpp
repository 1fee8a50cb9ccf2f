#include "stallscope/report/comparison_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

ComparedTime Times(double baseline, const Estimate& difference, Change verdict) {
  const Estimate relative{difference.mean / 0.4, difference.low / 0.4, difference.high / 0.4};
  return {.baseline_s = Estimate{baseline, baseline, baseline},
          .other_s = Estimate{baseline + difference.mean, 0, 1},
          .difference_s = difference,
          .relative = relative,
          .verdict = verdict};
}

Comparison Example() {
  Comparison comparison;
  comparison.baseline = {"runs/a.json", "2026-11-16T15:54:44Z", "amber", "resnet18", 1, 2};
  ComparedProfile other;
  other.profile = {"runs/b.json", "2026-11-17T15:54:44Z", "cobalt", "resnet18", 2, 1};
  other.total_of = "node";
  other.total = Times(0.4, {0.2, 0.15, 0.25}, Change::kWorse);
  other.stalls = {
      {"compute", std::nullopt, Times(0.25, {-0.1, -0.12, -0.08}, Change::kBetter)},
      {"interconnect", std::nullopt, Times(0.15, {0.3, 0.25, 0.35}, Change::kWorse)},
      {"communication", "interconnect", Times(0.14, {0.01, -0.04, 0.06}, Change::kIndistinguishable)},
      {"network",
       std::nullopt,
       {.other_s = Estimate{1.5, 1, 2}, .reason = "runs/a.json has none (one machine)"}},
  };
  other.notes = {
      "The set of devices differs: 1 machine with 2 cpu devices in runs/a.json, 2 machines with 1 cpu device "
      "each "
      "in runs/b.json."};
  comparison.others = {other};
  return comparison;
}

std::string Printed(const TextStyle& style) {
  std::ostringstream out;
  PrintComparison(Example(), style, out);
  return out.str();
}

TEST(ComparisonConsole, EveryNumberHasItsDifferenceAndItsVerdict) {
  const std::string text = Printed({.color = false, .utf8 = true, .width = 110});
  EXPECT_THAT(text, HasSubstr("runs/b.json: resnet18 on 2 machines with 1 device each"));
  EXPECT_THAT(text, HasSubstr("step times of the rung node"));
  // 0.2 +- 0.05 of 0.4 is 50 % +- 12.5 %.
  EXPECT_THAT(text,
              HasSubstr("step time        400 ms   600 ms    200 ms ± 50.0 ms  +50.0 % ± 12.5 %  worse"));
  EXPECT_THAT(text, HasSubstr("-25.0 % ± 5.0 %  better"));
  EXPECT_THAT(text, HasSubstr("  communication"));
  EXPECT_THAT(text, HasSubstr("indistinguishable\n"));
  EXPECT_THAT(text, HasSubstr("network               -   1.50 s"));
  EXPECT_THAT(text, HasSubstr("    runs/a.json has none (one machine)"));
  EXPECT_THAT(text, HasSubstr("note: The set of devices differs"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[")));
}

TEST(ComparisonConsole, LinesFitTheWidth) {
  for (const int width : {80, 100, 120}) {
    std::istringstream lines(Printed({.color = false, .utf8 = true, .width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(ColumnsOf(line), width) << line;
  }
}

TEST(ComparisonConsole, WithoutUtf8EveryByteIsAscii) {
  for (const char c : Printed({.color = false, .utf8 = false, .width = 110})) {
    EXPECT_LT(static_cast<unsigned char>(c), 128);
  }
}

TEST(ComparisonConsole, ColourChangesNoText) {
  std::string painted = Printed({.color = true, .utf8 = true, .width = 80});
  EXPECT_THAT(painted, HasSubstr("\x1b[31mworse"));
  EXPECT_THAT(painted, HasSubstr("\x1b[32mbetter"));
  for (std::size_t at = painted.find('\x1b'); at != std::string::npos; at = painted.find('\x1b')) {
    painted.erase(at, painted.find('m', at) - at + 1);
  }
  EXPECT_EQ(painted, Printed({.color = false, .utf8 = true, .width = 80}));
}

TEST(ComparisonConsole, TheSentenceSaysWhichWayAndHowFar) {
  ComparedProfile other = Example().others[0];
  EXPECT_EQ(Verdict(other, "a"),
            "runs/b.json is slower than a: a step takes 50.0 % longer (37.5 to 62.5 %).");
  other.total = Times(0.4, {-0.1, -0.12, -0.08}, Change::kBetter);
  EXPECT_EQ(Verdict(other, "a"), "runs/b.json is faster than a: a step takes 25.0 % less (20.0 to 30.0 %).");
  other.total = Times(0.4, {0.02, -0.04, 0.08}, Change::kIndistinguishable);
  EXPECT_EQ(Verdict(other, "a"),
            "runs/b.json is indistinguishable from a: its step differs by +5.0 % (-10.0 to +20.0 %).");
  other.total = {.reason = "no rung in common"};
  EXPECT_EQ(Verdict(other, "a"), "The step times of runs/b.json and a cannot be compared.");
}

}  // namespace
}  // namespace stallscope
