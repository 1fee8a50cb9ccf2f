#include "stallscope/probe/expect.h"

#include <algorithm>
#include <numbers>

#include "stallscope/stats/independent.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// By how much the found value is better than the least that passes.
Estimate MarginOf(const Estimate& found, const Estimate& expected, bool higher_is_better, double fail_below) {
  if (higher_is_better) return DifferenceOf(found, ScaledDown(expected, 1 / fail_below));
  return DifferenceOf(ScaledDown(expected, fail_below), found);
}

void JudgeLine(ExpectedLine& line, double fail_below) {
  const Estimate& found = *line.found;
  // A count of none is met by none, and its share has no meaning.
  const double better = line.higher_is_better ? found.mean : line.expected.mean;
  const double worse = line.higher_is_better ? line.expected.mean : found.mean;
  if (worse != 0) line.share = better / worse;
  const Estimate margin = MarginOf(found, line.expected, line.higher_is_better, fail_below);
  double error = margin.high - margin.mean;
  // What one probe measured has the other probe in its interval already (ForAnotherSeries).
  if (line.basis == kMeasured) error /= std::numbers::sqrt2;
  // Only one side is asked about: whether it is below.
  error *= kNormal95OneSided / kNormal95;
  line.verdict = margin.mean >= 0 ? kMet : margin.mean + error < 0 ? kMissed : kUnsure;
}

}  // namespace

Expectation Judge(const std::vector<Quantity>& found, const std::vector<Quantity>& expected,
                  const std::string& of, double fail_below) {
  Expectation expectation{.of = of, .fail_below = fail_below};
  for (const Quantity& wanted : expected) {
    ExpectedLine line{.quantity = wanted.name,
                      .unit = wanted.unit,
                      .higher_is_better = wanted.higher_is_better,
                      .expected = wanted.value,
                      .basis = wanted.basis,
                      .source = wanted.source,
                      .verdict = kAbsent};
    const auto match =
        std::find_if(found.begin(), found.end(), [&](const Quantity& q) { return q.name == wanted.name; });
    if (match != found.end()) {
      line.found = match->value;
      JudgeLine(line, fail_below);
    }
    expectation.lines.push_back(line);
  }
  return expectation;
}

}  // namespace stallscope
