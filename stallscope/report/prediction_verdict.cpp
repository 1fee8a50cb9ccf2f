#include "stallscope/report/prediction_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/units.h"
#include "stallscope/report/prediction_text.h"

namespace stallscope {
namespace {

class VerdictText {
 public:
  explicit VerdictText(const Prediction& prediction) : prediction_(prediction) {}

  std::string Text() const {
    if (prediction_.choices.size() > 1) return VerdictOfSeveral();
    const PredictedChoice& choice = prediction_.choices.front();
    std::string text = VerdictOfOne(choice.plain);
    if (choice.what_if) {
      const Estimate& change = choice.what_if->step_time_change;
      text += fmt::format(" With {} a step would take {}: {} ({}).", choice.what_if->what,
                          FormatSeconds(choice.what_if->changed.step_time_s.mean), ChangeText(change.mean),
                          RangeText(change, ChangeText));
    }
    return text;
  }

 private:
  static std::string VerdictOfOne(const PredictedMachine& machine) {
    std::string text = fmt::format("A step would take {} ({})", FormatSeconds(machine.step_time_s.mean),
                                   RangeText(machine.step_time_s, FormatSeconds));
    auto parts = PartsOf(machine);
    parts.erase(parts.begin());
    const auto largest = std::max_element(parts.begin(), parts.end(), [](auto& one, auto& other) {
      return one.second->share < other.second->share;
    });
    text += largest == parts.end()
                ? ", all of it compute."
                : fmt::format("; it waits longest for {}, {} of it.", WaitsFor(largest->first),
                              fmt::format("{:.1f} %", 100 * largest->second->share));
    if (!machine.epoch_time_s) return text;
    text += fmt::format(" An epoch would take {}", EpochText(machine.epoch_time_s->mean));
    if (!machine.epoch_cost_usd || !machine.price) return text + ".";
    return text + fmt::format(" and cost {} ({}), for {}.", MoneyText(machine.epoch_cost_usd->mean),
                              RangeText(*machine.epoch_cost_usd, MoneyText), machine.price->pays_for);
  }

  static std::string WaitsFor(const std::string& part) {
    return part == "prep" ? "CPU preparation" : part == "fetch" ? "storage" : "the " + part;
  }

  /// The best by `value`, and whether another's interval reaches below the best one's mean.
  template <typename Value>
  std::string Best(const char* what, const Value& value, const auto& text) const {
    const PredictedMachine* best = nullptr;
    for (const PredictedChoice& choice : prediction_.choices) {
      if (value(choice.plain) && (!best || value(choice.plain)->mean < value(*best)->mean)) {
        best = &choice.plain;
      }
    }
    if (!best) return "";
    std::vector<std::string> close;
    for (const PredictedChoice& choice : prediction_.choices) {
      const PredictedMachine& other = choice.plain;
      if (&other != best && value(other) && value(other)->low < value(*best)->high) {
        close.push_back(ChoiceName(other));
      }
    }
    return fmt::format(
        "{}: {}, {}{}. ", what, ChoiceName(*best), text(value(*best)->mean),
        close.empty() ? "" : fmt::format(" (the intervals of {} reach as far)", fmt::join(close, ", ")));
  }

  std::string VerdictOfSeveral() const {
    const auto by_sample = [](const PredictedMachine& machine) {
      const Estimate& rate = machine.samples_per_s;
      return std::optional(Estimate{1 / rate.mean, 1 / rate.high, 1 / rate.low});
    };
    const std::string fastest =
        Best("Fastest", by_sample, [](double seconds) { return NumberText(1 / seconds) + " samples/s"; });
    const std::string cheapest = Best(
        "Cheapest per epoch", [](const PredictedMachine& machine) { return machine.epoch_cost_usd; },
        MoneyText);
    return fastest + cheapest;
  }

  const Prediction& prediction_;
};

}  // namespace

std::string Verdict(const Prediction& prediction) {
  return VerdictText(prediction).Text();
}

}  // namespace stallscope
