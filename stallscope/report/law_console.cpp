#include "stallscope/report/law_console.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

/// A coefficient in the unit that people would take.
std::string Amount(double value, const std::string& unit) {
  if (unit == "s") return std::abs(value) < 1e-7 ? "0" : FormatSeconds(value);
  if (unit == "s/B") return fmt::format("{:.3g} ns/B", 1e9 * value);
  return Percent(value);
}

std::string PlaceText(const LawPlace& place) {
  return fmt::format("{} {}, {} ranks", place.bucket, LinkWords(place.link), place.ranks);
}

class LawText {
 public:
  LawText(const Law& law, const TextStyle& style, std::ostream& out) : law_(law), style_(style), out_(out) {}

  void Print() {
    Paragraph(fmt::format("{} of {} points of {} networks on {}, measured in {}", law_.points.size(),
                          law_.planned_points, law_.networks.size(), law_.host.name,
                          FormatDuration(Seconds(law_.sweep_seconds))));
    PrintCoefficients();
    PrintErrors();
    PrintDepth();
    PrintExtrapolation();
    PrintStatements();
    PrintMissing();
    out_ << '\n';
    Paragraph(law_.answer);
  }

 private:
  void Paragraph(const std::string& text) { out_ << Wrap(text, style_.width, 0) << '\n'; }
  void Item(const std::string& text) { out_ << Wrap("  " + text, style_.width, 4) << '\n'; }

  void PrintCoefficients() {
    out_ << "\ncoefficients of the law, with 95 % intervals from resampled networks\n";
    for (const LawValue& value : law_.coefficients) {
      const Estimate& estimate = value.value;
      out_ << fmt::format("  {:<22}{:>12}  {} to {}\n", value.name, Amount(estimate.mean, value.unit),
                          Amount(estimate.low, value.unit), Amount(estimate.high, value.unit));
    }
    for (const LawValue& value : law_.coefficients) Item(fmt::format("{}: {}", value.name, value.meaning));
  }

  void ErrorRow(const std::string& name, const std::optional<LawErrors>& errors) {
    if (!errors) return;
    out_ << fmt::format("  {:<34}{:>7}{:>9}{:>9}{:>9}{:>9}\n", name, errors->points, Percent(errors->median),
                        Percent(errors->percentile90), Percent(errors->worst), Percent(errors->bias));
  }

  void PrintErrors() {
    out_ << fmt::format("\nerrors of the stall, of step time  {:>8}{:>9}{:>9}{:>9}{:>9}\n", "points",
                        "median", "90th", "worst", "bias");
    ErrorRow("law, its network left out", law_.law_errors);
    for (const LawErrorGroup& group : law_.by_link) ErrorRow("  " + LinkWords(group.name), group.law);
    for (const LawErrorGroup& group : law_.by_bucket) ErrorRow("  in buckets: " + group.name, group.law);
    ErrorRow("macroscopic form, likewise", law_.macroscopic_errors);
    for (const LawErrorGroup& group : law_.by_link) ErrorRow("  " + LinkWords(group.name), group.macroscopic);
    ErrorRow("law, fitted on all", law_.fitted_errors);
    if (law_.law_errors && law_.law_errors->worst_point &&
        *law_.law_errors->worst_point < law_.points.size()) {
      const LawPoint& point = law_.points[*law_.law_errors->worst_point];
      Item(fmt::format("worst: {}, {}: stall {} of a step of {}, {} by the law", point.network,
                       PlaceText(point.place), FormatSeconds(point.stall_s.mean),
                       FormatSeconds(point.step_time_s.mean), FormatSeconds(point.law_left_out->stall_s)));
    }
  }

  void PrintDepth() {
    if (law_.depth.empty()) return;
    out_ << fmt::format("\nstall against layers, {} of gradients in each network\n",
                        FormatBytes(law_.depth.front().gradient_bytes));
    for (const LawDepth& depth : law_.depth) {
      out_ << fmt::format("  {}: {} a layer ({} to {}){}\n", PlaceText(depth.place),
                          FormatSeconds(depth.per_layer_s.mean), FormatSeconds(depth.per_layer_s.low),
                          FormatSeconds(depth.per_layer_s.high),
                          depth.distinguishable ? "" : ", indistinguishable from none");
      for (const LawDepthRow& row : depth.rows) {
        out_ << fmt::format("    {:>4} layers in {:>3} all-reduces {:>9} ± {:<9} law {}\n", row.layers,
                            row.all_reduces, FormatSeconds(row.stall_s.mean),
                            FormatSeconds(row.stall_s.HalfWidth()), FormatSeconds(row.law_s));
      }
    }
  }

  void PrintExtrapolation() {
    const auto& extrapolation = law_.extrapolation;
    if (!extrapolation) return;
    out_ << Wrap(fmt::format("\nfitted on {} networks below {:.0f} million parameters, on larger ones:",
                             extrapolation->networks.size(),
                             static_cast<double>(extrapolation->below_parameters) / 1e6),
                 style_.width, 0)
         << '\n';
    for (const LawExtrapolationRow& row : extrapolation->rows) {
      Item(fmt::format("{}, {}: stall {} ± {}, predicted {}: {:+.1f} % of the stall, {:+.1f} % of the step",
                       row.network, PlaceText(row.place), FormatSeconds(row.stall_s.mean),
                       FormatSeconds(row.stall_s.HalfWidth()), FormatSeconds(row.predicted_s),
                       100 * row.error, 100 * row.error_of_step));
    }
  }

  void PrintStatements() {
    if (law_.statements.empty()) return;
    out_ << "\nwhat dominates where\n";
    for (const LawStatement& statement : law_.statements) Item(statement.text);
  }

  void PrintMissing() {
    if (law_.missing.empty()) return;
    out_ << fmt::format("\nnot measured: {} points; report --csv lists them\n", law_.missing.size());
  }

  const Law& law_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

void PrintLaw(const Law& law, const TextStyle& style, std::ostream& out) {
  LawText(law, style, out).Print();
}

}  // namespace stallscope
