#include "stallscope/report/validation_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stallscope {
namespace {

// They add up to 80.
constexpr int kNameColumns = 24;
constexpr int kNumberColumns = 8;

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

class ValidationText {
 public:
  ValidationText(const Validation& validation, const TextStyle& style, std::ostream& out)
      : validation_(validation), style_(style), out_(out) {}

  void Print() {
    PrintHeading();
    PrintGroups();
    PrintWorst();
    PrintUnpredicted();
    PrintParameters();
    out_ << '\n' << Wrap(Verdict(), style_.width, 0) << '\n';
  }

 private:
  void PrintHeading() {
    out_ << Wrap(fmt::format("{}: {} rows, {} mode{}", validation_.file, validation_.rows.size(),
                             validation_.mode,
                             validation_.left_out_by ? ", every row predicted without its source" : ""),
                 style_.width, 2)
         << "\n\n";
  }

  void Row(const std::string& name, const std::vector<std::string>& numbers) {
    std::string line = PadRight(Shorten(name, kNameColumns - 1), kNameColumns);
    for (const std::string& number : numbers) line += PadLeft(number, kNumberColumns);
    out_ << line << '\n';
  }

  void PrintMeasures(const std::string& name, const ErrorMeasures& m) {
    Row(name, {std::to_string(m.rows), Percent(m.mape), Percent(m.median), Percent(m.percentile90),
               fmt::format("{:+.1f} %", 100 * m.bias), Percent(m.coverage), Percent(m.half_width)});
  }

  void PrintGroups() {
    Row("", {"rows", "MAPE", "median", "90th", "bias", "inside", "+-"});
    if (validation_.all_reduce) PrintMeasures("all-reduce rows", *validation_.all_reduce);
    if (validation_.several_nodes) PrintMeasures("  on several machines", *validation_.several_nodes);
    for (const ErrorGroup& group : validation_.apart) PrintMeasures("apart: " + group.name, group.measures);
    std::string by;
    for (const ErrorGroup& group : validation_.groups) {
      if (group.by != by) out_ << "by " << group.by << '\n';
      by = group.by;
      PrintMeasures("  " + group.name, group.measures);
    }
  }

  void PrintWorst() {
    if (validation_.worst.empty()) return;
    out_ << "\nworst rows\n";
    for (std::size_t index : validation_.worst) {
      const ValidatedRow& row = validation_.rows[index];
      out_ << Wrap(fmt::format("  line {} {}: {} on {} x {} ({} machine{}, {}): {:.4g}/s measured, {:.4g} "
                               "predicted ({:.4g} to {:.4g}), {:+.1f} %",
                               row.line, row.series, row.network, row.total_gpus, row.gpu, row.nodes,
                               row.nodes == 1 ? "" : "s", row.framework, *row.measured, *row.predicted,
                               *row.low, *row.high, 100 * *row.error),
                   style_.width, 4)
           << '\n';
    }
  }

  void PrintUnpredicted() {
    std::map<std::string, std::vector<int>> lines;
    for (const ValidatedRow& row : validation_.rows) {
      if (!row.known && row.reason) lines[*row.reason].push_back(row.line);
    }
    if (lines.empty()) return;
    out_ << "\nnot predicted\n";
    for (const auto& [reason, where] : lines) {
      out_ << Wrap(fmt::format("  {} (line{} {})", reason, where.size() == 1 ? "" : "s",
                               fmt::join(where, ", ")),
                   style_.width, 4)
           << '\n';
    }
  }

  void PrintParameters() {
    for (const FittedSet& set : validation_.parameters) {
      const std::string origin =
          set.left_out ? fmt::format("fitted without {}", *set.left_out) : "as shipped";
      out_ << fmt::format("\nparameters {} ({} rows; intervals are {:.2f} deviations)\n", origin, set.rows,
                          set.interval_factor);
      for (const FittedValue& value : set.values) {
        out_ << fmt::format("  {:<22}{:>9.4g} {} ({:.3g} to {:.3g})\n", value.name, value.value, value.unit,
                            value.low, value.high);
      }
    }
  }

  std::string Verdict() const {
    if (!validation_.all_reduce) return "No row with an all-reduce could be predicted.";
    const ErrorMeasures& all = *validation_.all_reduce;
    std::string text = fmt::format(
        "Predictions of {} rows in {} series err by {} on average, every series weighing the same", all.rows,
        all.series, Percent(all.mape));
    if (validation_.perfect_scaling_mape) {
      text += fmt::format(" (perfect scaling: {}, 0.95 per doubling: {})",
                          Percent(*validation_.perfect_scaling_mape), Percent(*validation_.constant_mape));
    }
    return text + fmt::format("; {} of them are inside their 95 % interval.", Percent(all.coverage));
  }

  const Validation& validation_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

void PrintValidation(const Validation& validation, const TextStyle& style, std::ostream& out) {
  ValidationText(validation, style, out).Print();
}

}  // namespace stallscope
