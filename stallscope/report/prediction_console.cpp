#include "stallscope/report/prediction_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/units.h"
#include "stallscope/report/prediction_text.h"
#include "stallscope/report/prediction_verdict.h"

namespace stallscope {
namespace {

// They add up to 80.
constexpr int kNameColumns = 15;
constexpr int kValueColumns = 10;
constexpr int kRangeColumns = 26;
constexpr int kShareColumns = 9;
constexpr int kBasisColumns = 11;
constexpr int kBarColumns = 9;
/// Of the table of several machines; the name's column is as wide as the longest one.
constexpr int kStepColumns = 8;
constexpr int kStepRangeColumns = 19;
constexpr int kRateColumns = 10;
constexpr int kEpochColumns = 9;
constexpr int kCostColumns = 8;
constexpr int kPartColumns = 8;
constexpr int kChangeColumns = 12;

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

int ColumnsFor(const char* part) {
  return std::max(kPartColumns, ColumnsOf(part) + 2);
}

class PredictionText {
 public:
  PredictionText(const Prediction& prediction, const TextStyle& style, std::ostream& out)
      : prediction_(prediction), style_(style), out_(out) {}

  void Print() {
    PrintWorkload();
    if (prediction_.choices.size() == 1) {
      PrintOne(prediction_.choices.front().plain);
    } else {
      PrintTable();
      out_ << '\n';
      for (const PredictedChoice& choice : prediction_.choices) PrintShortly(choice.plain);
    }
    for (const PredictedChoice& choice : prediction_.choices) {
      if (choice.what_if) PrintWhatIf(choice.plain, *choice.what_if);
    }
    for (const RefusedMachine& refused : prediction_.refused) {
      out_ << '\n';
      Line(fmt::format("not predicted: {} x {}: {}; {}", refused.nodes, refused.instance, refused.reason,
                       refused.fix));
    }
    out_ << '\n' << Wrap(Verdict(prediction_), style_.width, 0) << '\n';
  }

 private:
  std::string Paint(const char* code, const std::string& text) const {
    return style_.color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  void Line(const std::string& text) { out_ << Wrap(text, style_.width, 2) << '\n'; }

  void Row(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  void PrintWorkload() {
    const PredictedWorkload& workload = prediction_.workload;
    std::string text = fmt::format("{}, batch {} per device, {}, {}: {} parameters, {} of gradients",
                                   workload.model, workload.batch_per_device, workload.dtype, workload.stack,
                                   CountText(static_cast<double>(workload.parameters)),
                                   FormatBytes(static_cast<double>(workload.gradient_bytes)));
    if (workload.profile) text += ", as measured in " + *workload.profile;
    Line(text);
    if (!workload.samples) return;
    Line(fmt::format("data: {}{:.0f} samples of {} each", workload.dataset ? *workload.dataset + ", " : "",
                     *workload.samples, FormatBytes(*workload.sample_bytes)));
  }

  void OneRow(const std::string& name, const std::string& value, const std::string& range,
              const std::string& share, const std::string& basis, const std::string& bar) {
    Row(PadRight(name, kNameColumns) + PadLeft(value, kValueColumns) + PadLeft(range, kRangeColumns) +
        PadLeft(share, kShareColumns) + "  " + PadRight(basis, kBasisColumns) + bar);
  }

  void PrintOne(const PredictedMachine& machine) {
    const std::string title =
        Wrap(fmt::format("on {} {}", ChoiceName(machine), Where(machine)), style_.width, 2);
    out_ << title << "\n\n";
    OneRow("", "mean", "95 %", "share", "basis", "");
    for (const auto& [name, part] : PartsOf(machine)) {
      OneRow(name, FormatSeconds(part->seconds.mean), RangeText(part->seconds, FormatSeconds),
             Percent(part->share), part->basis,
             Paint(name == "compute" ? "2" : "33", Bar(part->share, kBarColumns, style_.utf8)));
    }
    OneRow("step time", FormatSeconds(machine.step_time_s.mean),
           RangeText(machine.step_time_s, FormatSeconds), Percent(1), machine.basis, "");
    OneRow("samples/s", NumberText(machine.samples_per_s.mean), RangeText(machine.samples_per_s, NumberText),
           "", machine.basis, "");
    if (machine.epoch_time_s) {
      OneRow("epoch", EpochText(machine.epoch_time_s->mean), RangeText(*machine.epoch_time_s, EpochText), "",
             machine.basis, "");
    }
    if (machine.epoch_cost_usd) {
      OneRow("epoch's cost", MoneyText(machine.epoch_cost_usd->mean),
             RangeText(*machine.epoch_cost_usd, MoneyText), "", machine.basis, "");
    }
    PrintOrigins(machine);
  }

  static std::string Where(const PredictedMachine& machine) {
    return fmt::format("({}), {} {}: {}", machine.provider, machine.devices(), machine.gpu,
                       machine.description);
  }

  void PrintOrigins(const PredictedMachine& machine) {
    out_ << '\n';
    for (const auto& [name, part] : PartsOf(machine)) Line(fmt::format("{}: {}", name, part->from));
    PrintAbsent(machine);
    if (machine.price) {
      Line(fmt::format("cost: {}, for {}", PriceText(*machine.price), machine.price->pays_for));
    }
    if (!machine.assumed.empty()) Line(fmt::format("assumed: {}", fmt::join(machine.assumed, ", ")));
  }

  /// One line for each reason.
  void PrintAbsent(const PredictedMachine& machine) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (const AbsentPart& absent : machine.absent) {
      const auto found =
          std::find_if(reasons.begin(), reasons.end(), [&](auto& r) { return r.first == absent.reason; });
      if (found == reasons.end()) {
        reasons.push_back({absent.reason, {absent.part}});
      } else {
        found->second.push_back(absent.part);
      }
    }
    for (const auto& [reason, parts] : reasons) {
      Line(fmt::format("no {}: {}", fmt::join(parts, ", no "), reason));
    }
  }

  /// Where there are several: the document has the rest.
  void PrintShortly(const PredictedMachine& machine) {
    std::string text =
        fmt::format("{} {}; compute {}", ChoiceName(machine), Where(machine), machine.compute.basis);
    if (machine.price) text += "; " + PriceText(*machine.price);
    for (const AbsentPart& absent : machine.absent) {
      if (absent.part == "cost") text += "; no cost: " + absent.reason;
    }
    if (!machine.assumed.empty()) text += fmt::format("; assumed: {}", fmt::join(machine.assumed, ", "));
    Line(text);
  }

  int LongestName() const {
    int longest = 0;
    for (const PredictedChoice& choice : prediction_.choices) {
      longest = std::max(longest, ColumnsOf(ChoiceName(choice.plain)));
    }
    return longest + 1;
  }

  void PrintTable() {
    const int name = LongestName();
    out_ << '\n';
    Row(PadRight("", name) + PadLeft("step", kStepColumns) + PadLeft("95 %", kStepRangeColumns) +
        PadLeft("samples/s", kRateColumns) + PadLeft("epoch", kEpochColumns) + PadLeft("USD", kCostColumns));
    for (const PredictedChoice& choice : prediction_.choices) {
      const PredictedMachine& machine = choice.plain;
      Row(PadRight(ChoiceName(machine), name) +
          PadLeft(FormatSeconds(machine.step_time_s.mean), kStepColumns) +
          PadLeft(RangeText(machine.step_time_s, FormatSeconds), kStepRangeColumns) +
          PadLeft(NumberText(machine.samples_per_s.mean), kRateColumns) +
          PadLeft(machine.epoch_time_s ? EpochText(machine.epoch_time_s->mean) : "-", kEpochColumns) +
          PadLeft(machine.epoch_cost_usd ? NumberText(machine.epoch_cost_usd->mean) : "-", kCostColumns));
    }
    out_ << '\n';
    constexpr std::array kParts = {"compute", "interconnect", "network", "prep", "fetch"};
    std::string head = PadRight("of a step", name);
    for (const char* part : kParts) head += PadLeft(part, ColumnsFor(part));
    Row(head);
    for (const PredictedChoice& choice : prediction_.choices) {
      std::string line = PadRight(ChoiceName(choice.plain), name);
      const auto parts = PartsOf(choice.plain);
      for (const char* wanted : kParts) {
        const auto part =
            std::find_if(parts.begin(), parts.end(), [&](auto& p) { return p.first == wanted; });
        line += PadLeft(part == parts.end() ? "-" : Percent(part->second->share), ColumnsFor(wanted));
      }
      Row(line);
    }
  }

  void ChangeRow(const std::string& name, const std::string& plain, const std::string& changed,
                 const std::string& change) {
    Row(PadRight(name, kNameColumns) + PadLeft(plain, kChangeColumns) + PadLeft(changed, kChangeColumns) +
        "   " + change);
  }

  void PrintWhatIf(const PredictedMachine& plain, const PredictedChange& what_if) {
    const PredictedMachine& changed = what_if.changed;
    out_ << '\n';
    Line(fmt::format("what if {} had {}", ChoiceName(plain), what_if.what));
    ChangeRow("", "plain", "changed", "change");
    const auto parts = PartsOf(changed);
    for (const auto& [name, part] : PartsOf(plain)) {
      const auto other =
          std::find_if(parts.begin(), parts.end(), [&, &name = name](auto& p) { return p.first == name; });
      if (other == parts.end()) continue;
      const double difference = other->second->seconds.mean - part->seconds.mean;
      ChangeRow(name, FormatSeconds(part->seconds.mean), FormatSeconds(other->second->seconds.mean),
                difference == 0 ? "" : (difference > 0 ? "+" : "") + FormatSeconds(difference));
    }
    const Estimate& change = what_if.step_time_change;
    ChangeRow("step time", FormatSeconds(plain.step_time_s.mean), FormatSeconds(changed.step_time_s.mean),
              fmt::format("{} ({})", ChangeText(change.mean), RangeText(change, ChangeText)));
    ChangeRow("samples/s", NumberText(plain.samples_per_s.mean), NumberText(changed.samples_per_s.mean),
              ChangeText(changed.samples_per_s.mean / plain.samples_per_s.mean - 1));
    if (plain.epoch_time_s && changed.epoch_time_s) {
      ChangeRow("epoch", EpochText(plain.epoch_time_s->mean), EpochText(changed.epoch_time_s->mean),
                ChangeText(changed.epoch_time_s->mean / plain.epoch_time_s->mean - 1));
    }
    if (plain.epoch_cost_usd && changed.epoch_cost_usd) {
      ChangeRow("epoch's cost", MoneyText(plain.epoch_cost_usd->mean),
                MoneyText(changed.epoch_cost_usd->mean),
                ChangeText(changed.epoch_cost_usd->mean / plain.epoch_cost_usd->mean - 1));
    }
    for (const AbsentPart& absent : changed.absent) {
      if (absent.part == "cost" && plain.epoch_cost_usd) Line("no cost: " + absent.reason);
    }
  }

  const Prediction& prediction_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

void PrintPrediction(const Prediction& prediction, const TextStyle& style, std::ostream& out) {
  PredictionText(prediction, style, out).Print();
}

}  // namespace stallscope
