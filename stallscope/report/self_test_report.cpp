#include "stallscope/report/self_test_report.h"

#include <fmt/format.h>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

std::string Signed(double seconds) {
  return seconds < 0 ? "-" + FormatSeconds(-seconds) : FormatSeconds(seconds);
}

void PrintCell(const SelfTestCell& cell, const TextStyle& style, std::ostream& out) {
  const char* plus_minus = style.utf8 ? "±" : "+-";
  const std::string verdict = cell.passed ? "found" : "MISSED";
  out << "  " << PadRight(cell.stall, 15) << PadLeft(Signed(cell.expected_s), 10) << "  "
      << PadLeft(fmt::format("{} {} {}", Signed(cell.measured_s.mean), plus_minus,
                             FormatSeconds(cell.measured_s.HalfWidth())),
                 22)
      << "  "
      << PadLeft(fmt::format("{:+.1f} % {} {:.1f} %", 100 * cell.miss.mean, plus_minus,
                             100 * cell.miss.HalfWidth()),
                 18)
      << "  " << verdict << '\n';
}

}  // namespace

void PrintSelfTest(const SelfTestResult& result, const TextStyle& style, std::ostream& out) {
  out << fmt::format("{} rounds; a step of the baseline takes {}\n", result.rounds,
                     FormatSeconds(result.baseline_step_s));
  if (result.disturbed_blocks > 0)
    out << fmt::format("warning: other processes disturbed {} blocks, also when they were run again\n",
                       result.disturbed_blocks);
  for (const InjectionCase& injected : result.cases) {
    out << '\n'
        << Wrap(fmt::format("{}: {}", injected.name, injected.what), style.width, 2) << "\n  "
        << Wrap(fmt::format("expected: {}", ArithmeticOf(injected, result.basis)), style.width - 2, 4)
        << '\n';
    out << "  " << PadRight("stall", 15) << PadLeft("expected", 10) << "  " << PadLeft("measured", 22) << "  "
        << PadLeft("off, of a step", 18) << '\n';
    for (const SelfTestCell& cell : result.cells) {
      if (cell.injection == injected.name) PrintCell(cell, style, out);
    }
  }
  out << fmt::format(
      "\n{:.0f} % of {} stalls lie within {:.0f} % of a step of their expectation, or hold it in their "
      "interval; {:.0f} % are needed.\n",
      100 * result.PassedShare(), result.cells.size(), 100 * kSelfTestMargin, 100 * kSelfTestShare);
}

Json SelfTestToJson(const SelfTestResult& result) {
  Json json;
  json["rounds"] = result.rounds;
  json["disturbed_blocks"] = result.disturbed_blocks;
  json["baseline_step_time_s"] = result.baseline_step_s;
  json["passed_share"] = result.PassedShare();
  json["injections"] = Json::array();
  for (const InjectionCase& injected : result.cases) {
    Json& entry = json["injections"].emplace_back();
    entry = {{"name", injected.name},
             {"what", injected.what},
             {"arithmetic", ArithmeticOf(injected, result.basis)},
             {"cells", Json::array()}};
    for (const SelfTestCell& cell : result.cells) {
      if (cell.injection != injected.name) continue;
      entry["cells"].push_back({{"stall", cell.stall},
                                {"expected_s", cell.expected_s},
                                {"measured_s", ToJson(cell.measured_s)},
                                {"miss", ToJson(cell.miss)},
                                {"passed", cell.passed}});
    }
  }
  return json;
}

}  // namespace stallscope
