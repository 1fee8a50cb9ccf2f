#include "stallscope/report/observation_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/report/numbers.h"

namespace stallscope {
namespace {

constexpr int kBarColumns = 20;
/// Less than this share of a step is not worth a sentence.
constexpr double kWorthSaying = 0.01;

struct NamedPart {
  const char* name;
  const char* waits_for;  ///< nothing: it is work
  const std::optional<ObservedPart>* of;
};

std::vector<NamedPart> PartsOf(const Observation& seen) {
  return {{"data wait", "data", &seen.data_wait},
          {"copy", "copies to the device", &seen.copy},
          {"forward, own work", nullptr, &seen.forward},
          {"backward", nullptr, &seen.backward},
          {"communication", "gradients on their way", &seen.exposed_communication},
          {"skew", "the slowest rank", &seen.skew},
          {"optimiser", nullptr, &seen.optimizer}};
}

}  // namespace

std::string ObservedVerdict(const Observation& observation) {
  std::vector<NamedPart> waits;
  for (const NamedPart& part : PartsOf(observation)) {
    if (part.waits_for != nullptr && *part.of && (*part.of)->share.mean >= kWorthSaying)
      waits.push_back(part);
  }
  if (!observation.step_time_s) return "Too few steps were seen for a verdict.";
  if (waits.empty()) return "No step waits for more than 1 % of its time.";
  std::stable_sort(waits.begin(), waits.end(), [](const NamedPart& a, const NamedPart& b) {
    return (*a.of)->share.mean > (*b.of)->share.mean;
  });
  std::string text;
  for (const NamedPart& wait : waits) {
    const Estimate& share = (*wait.of)->share;
    text += fmt::format("{}{:.0f} % of a step waits for {} ({:.0f} to {:.0f} %)", text.empty() ? "" : "; ",
                        100 * share.mean, wait.waits_for, 100 * share.low, 100 * share.high);
  }
  return text + ".";
}

void PrintObservation(const Observation& observation, const TextStyle& style, std::ostream& out) {
  out << fmt::format("{}, {} rank{}: {} steps in {}{}\n", observation.program, observation.ranks,
                     observation.ranks == 1 ? "" : "s", observation.steps,
                     FormatDuration(Seconds(observation.observed_s)), observation.finished ? "" : " so far");
  if (observation.step_time_s) {
    out << "a step takes " << TimeText(*observation.step_time_s, style) << "\n\n";
    for (const NamedPart& part : PartsOf(observation)) {
      if (!*part.of) continue;
      out << PadRight(part.name, 18) << PadLeft(TimeText((*part.of)->seconds, style), 22)
          << PadLeft(ShareText((*part.of)->share, style), 18) << "  "
          << Bar((*part.of)->share.mean, kBarColumns, style.utf8) << '\n';
    }
    if (observation.hook)
      out << fmt::format("of this, {:.2g} % are the calls of the hook that watched\n",
                         100 * observation.hook->share.mean);
    out << '\n';
  }
  out << Wrap(ObservedVerdict(observation), style.width, 0) << '\n';
}

}  // namespace stallscope
