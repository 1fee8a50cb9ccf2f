#include "stallscope/report/recommendation_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stallscope/report/rental_text.h"

namespace stallscope {
namespace {

constexpr std::size_t kMostExamples = 4;
constexpr std::size_t kMostFront = 8;

std::string Percent(double share) {
  if (share < 0.01) return "< 1 %";
  return fmt::format("{:.0f} %", std::min(99.0, 100 * share));
}

class RecommendationText {
 public:
  RecommendationText(const Recommendation& recommendation, const TextStyle& style, std::ostream& out)
      : doc_(recommendation), style_(style), out_(out) {}

  void Print() {
    Line(Question());
    Line(fmt::format("{} candidates considered", doc_.considered));
    out_ << '\n';
    if (doc_.choice) {
      PrintChoice(doc_.candidates[*doc_.choice]);
    } else {
      PrintClosest();
    }
    PrintTable("the best of each machine and market", doc_.top);
    const std::vector<std::size_t> front = Thinned(doc_.pareto);
    std::string title = "time against money: nothing is both faster and cheaper than these";
    if (front.size() < doc_.pareto.size())
      title += fmt::format(" ({} of {})", front.size(), doc_.pareto.size());
    PrintTable(title, front);
    PrintRejected();
    PrintNext();
    for (const std::string& note : doc_.notes) Line("note: " + note);
    if (!doc_.money.assumed.empty()) Line(fmt::format("assumed: {}", fmt::join(doc_.money.assumed, "; ")));
  }

 private:
  void Line(const std::string& text) { out_ << Wrap(text, style_.width, 2) << '\n'; }
  void Below(const std::string& text) { out_ << "  " << Wrap(text, style_.width - 2, 4) << '\n'; }

  std::string Question() const {
    const RecommendedWorkload& w = doc_.workload;
    std::string text = w.model;
    if (w.dataset) text += ", " + *w.dataset;
    if (w.samples) text += fmt::format(" ({:.0f} samples)", *w.samples);
    if (w.epochs) text += fmt::format(", {:g} epoch{}", *w.epochs, *w.epochs == 1 ? "" : "s");
    if (w.steps) text += fmt::format(", {:g} steps", *w.steps);
    text += ", " + w.dtype;
    if (w.global_batch) {
      text += fmt::format(", {} samples a step", *w.global_batch);
    } else {
      text += fmt::format(", batch {} per GPU", fmt::join(w.batch_per_device, ", "));
    }
    const RecommendedQuestion& q = doc_.question;
    text += ": the " + std::string(q.objective == "time" ? "fastest" : "cheapest");
    if (q.deadline_h) text += " within " + HoursText(*q.deadline_h);
    if (q.budget_usd) text += fmt::format("{}for {}", q.deadline_h ? " and " : " ", UsdText(*q.budget_usd));
    if (q.deadline_h || q.budget_usd) text += fmt::format(", {:g} % sure", 100 * q.confidence);
    return text;
  }

  void PrintChoice(const RecommendedCandidate& c) {
    Line(fmt::format("Rent {} x {} ({}, {}): {} x {}, batch {} each.", c.nodes, c.instance, PlaceText(c),
                     c.market, c.devices, c.gpu, c.batch_per_device));
    std::string time = fmt::format("{} ({} to {})", HoursText(c.hours.mean), HoursText(c.hours.low),
                                   HoursText(c.hours.high));
    if (c.probability_in_time) time += ", in time with " + Percent(*c.probability_in_time);
    Below(time);
    std::string money =
        fmt::format("{} ({} to {}) for {} at {:g} USD an hour each ({})", UsdText(c.cost_usd.mean),
                    UsdText(c.cost_usd.low), UsdText(c.cost_usd.high), c.pays_for, c.usd_hour, PriceText(c));
    if (c.probability_in_budget) money += ", within the budget with " + Percent(*c.probability_in_budget);
    Below(money);
    if (c.spot) {
      Below(fmt::format(
          "spot: {:.1f} interruptions expected; a checkpoint ({}) after every {}; {:.0f} % longer "
          "than undisturbed",
          c.spot->interruptions, HoursText(c.spot->checkpoint_s / 3600),
          HoursText(c.spot->checkpoint_every_s / 3600), 100 * (c.spot->stretch - 1)));
    }
    Below(fmt::format("{}: {}", c.basis, c.from));
    out_ << '\n';
  }

  void PrintClosest() {
    if (doc_.closest.empty()) {
      Line("There is nothing to choose from: no machine has both a time and a price. The reasons are below.");
      out_ << '\n';
      return;
    }
    Line("Nothing fits. The closest:");
    for (const ClosestCandidate& closest : doc_.closest) {
      const RecommendedCandidate& c = doc_.candidates[closest.candidate];
      Below(fmt::format("{} x {} ({}, {}): {}; it would fit with {}", c.nodes, c.instance, PlaceText(c),
                        c.market, closest.missing, closest.would_fit));
    }
    out_ << '\n';
  }

  /// A long front by its ends and some between.
  std::vector<std::size_t> Thinned(const std::vector<std::size_t>& front) const {
    if (front.size() <= kMostFront) return front;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < kMostFront; ++i) {
      some.push_back(front[i * (front.size() - 1) / (kMostFront - 1)]);
    }
    return some;
  }

  void PrintTable(const std::string& title, const std::vector<std::size_t>& rows) {
    if (rows.empty()) return;
    const bool deadline = doc_.question.deadline_h.has_value();
    const bool budget = doc_.question.budget_usd.has_value();
    Line(title);
    std::string head = fmt::format("  {:<32} {:>4} {:>5} {:>6} {:>10} {:>10}", "machine", "n", "GPUs",
                                   "batch", "time", "USD");
    if (deadline) head += fmt::format(" {:>8}", "in time");
    if (budget) head += fmt::format(" {:>9}", "in budget");
    out_ << head << "  basis\n";
    for (const std::size_t i : rows) {
      const RecommendedCandidate& c = doc_.candidates[i];
      std::string line = fmt::format("{} {:<32} {:>4} {:>5} {:>6} {:>10} {:>10.2f}",
                                     doc_.choice == i ? '>' : ' ', Shorten(NameText(c), 32), c.nodes,
                                     c.devices, c.batch_per_device, HoursText(c.hours.mean), c.cost_usd.mean);
      if (deadline) line += fmt::format(" {:>8}", Percent(c.probability_in_time.value_or(0)));
      if (budget) line += fmt::format(" {:>9}", Percent(c.probability_in_budget.value_or(0)));
      out_ << line << "  " << c.basis << (c.price_stale ? ", stale price" : "") << '\n';
    }
    out_ << '\n';
  }

  void PrintRejected() {
    std::map<std::string, std::vector<const RejectedMachine*>> by_reason;
    for (const RejectedMachine& machine : doc_.rejected) by_reason[machine.reason].push_back(&machine);
    if (by_reason.empty()) return;
    Line("not chosen (--json has every machine's reason)");
    for (const auto& [reason, machines] : by_reason) {
      out_ << fmt::format("  {} ({})\n", reason, machines.size());
      for (std::size_t i = 0; i < machines.size() && i < kMostExamples; ++i) {
        out_ << "    "
             << Wrap(fmt::format("{}: {}", machines[i]->instance, machines[i]->detail), style_.width - 4, 8)
             << '\n';
      }
    }
    out_ << '\n';
  }

  void PrintNext() {
    if (!doc_.next_measurement) return;
    const NextMeasurement& next = *doc_.next_measurement;
    Line(fmt::format("Worth measuring first: {} x {} for {:.0f} min, {}: {}.", next.nodes, next.instance,
                     next.minutes, UsdText(next.cost_usd), next.why));
    out_ << "  " << next.command << "\n\n";
  }

  const Recommendation& doc_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

void PrintRecommendation(const Recommendation& recommendation, const TextStyle& style, std::ostream& out) {
  RecommendationText(recommendation, style, out).Print();
}

}  // namespace stallscope
