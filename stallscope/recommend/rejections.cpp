#include "stallscope/recommend/rejections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stallscope {
namespace {

std::string Machines(int nodes) {
  return fmt::format("{} machine{}", nodes, nodes == 1 ? "" : "s");
}

class Reasons {
 public:
  Reasons(const Outcome& outcome, const HoursAtCeiling& at_ceiling)
      : outcome_(outcome), at_ceiling_(at_ceiling), intervals_(IntervalsOf(outcome.question.confidence)) {
    for (const std::uint32_t i : outcome.by_cost) by_machine_[Of(i).machine].push_back(i);
  }

  std::vector<RejectedMachine> All() const {
    std::map<std::string, RejectedMachine> rejected;  // by name
    for (const MachineProblem& problem : outcome_.forecast.problems) {
      Add(rejected, problem.machine, {}, problem.reason, problem.detail);
    }
    for (const std::size_t machine : outcome_.set.unpriced) {
      Add(rejected, machine, {}, "no-price",
          outcome_.region.empty() ? std::string("nobody lists a price for it; give yours with --price")
                                  : fmt::format("it has no price in {}", outcome_.region));
    }
    for (const auto& [machine, candidates] : by_machine_) {
      if (outcome_.choice && Of(*outcome_.choice).machine == machine) continue;
      Judge(machine, candidates, rejected);
    }
    std::vector<RejectedMachine> list;
    for (auto& [name, machine] : rejected) list.push_back(std::move(machine));
    return list;
  }

 private:
  const Candidate& Of(std::uint32_t i) const { return outcome_.set.candidates[i]; }
  const Configuration& ConfigurationOf(std::uint32_t i) const {
    return outcome_.forecast.configurations[Of(i).configuration];
  }

  void Add(std::map<std::string, RejectedMachine>& rejected, std::size_t machine, std::optional<int> nodes,
           const std::string& reason, const std::string& detail) const {
    const Machine& facts = outcome_.catalog.machines()[machine];
    rejected[FullName(facts)] = {facts.name, facts.provider, nodes, reason, detail};
  }

  void Judge(std::uint32_t machine, const Selection& candidates,
             std::map<std::string, RejectedMachine>& rejected) const {
    const Question& question = outcome_.question;
    const auto fastest = *std::min_element(candidates.begin(), candidates.end(), [&](auto i, auto j) {
      return Of(i).HoursAt(intervals_) < Of(j).HoursAt(intervals_);
    });
    const int nodes = ConfigurationOf(fastest).nodes;
    const double hours = Of(fastest).HoursAt(intervals_);
    if (question.deadline_h && hours > *question.deadline_h) {
      const auto free = at_ceiling_ ? at_ceiling_(machine, ConfigurationOf(fastest)) : std::nullopt;
      const std::string detail =
          fmt::format("its fastest, {}, needs {} with {:g} % confidence; the deadline is {}", Machines(nodes),
                      HoursText(hours), 100 * question.confidence, HoursText(*question.deadline_h));
      if (free && *free <= *question.deadline_h) {
        Add(rejected, machine, nodes, "network-burst",
            detail + "; it would be in time if its network's credit did not run out");
      } else {
        Add(rejected, machine, nodes, "too-slow", detail);
      }
      return;
    }
    const Selection order = question.WantsFastest() ? OrderByHours(outcome_.set, candidates) : candidates;
    const auto fits = std::find_if(order.begin(), order.end(),
                                   [&](std::uint32_t i) { return Fits(Of(i), question, intervals_); });
    if (fits == order.end()) {
      const auto in_time = std::find_if(candidates.begin(), candidates.end(), [&](std::uint32_t i) {
        return !question.deadline_h || Of(i).HoursAt(intervals_) <= *question.deadline_h;
      });
      Add(rejected, machine, ConfigurationOf(*in_time).nodes, "too-expensive",
          fmt::format("its cheapest{}, {}, costs up to {} with {:g} % confidence; the budget is {}",
                      question.deadline_h ? " in time" : "", Machines(ConfigurationOf(*in_time).nodes),
                      UsdText(Of(*in_time).UsdAt(intervals_)), 100 * question.confidence,
                      UsdText(*question.budget_usd)));
      return;
    }
    const Candidate& choice = Of(*outcome_.choice);
    Add(rejected, machine, ConfigurationOf(*fits).nodes, question.WantsFastest() ? "slower" : "dearer",
        question.WantsFastest()
            ? fmt::format("its best, {}, takes {}; the choice {}", Machines(ConfigurationOf(*fits).nodes),
                          HoursText(Of(*fits).hours), HoursText(choice.hours))
            : fmt::format("its best, {}, costs {}; the choice {}", Machines(ConfigurationOf(*fits).nodes),
                          UsdText(Of(*fits).usd), UsdText(choice.usd)));
  }

  const Outcome& outcome_;
  const HoursAtCeiling& at_ceiling_;
  double intervals_;
  std::map<std::uint32_t, Selection> by_machine_;
};

/// How far beyond its limits a candidate is: 1.2 is 20 % too long or too dear.
double Excess(const Candidate& candidate, const Question& question, double intervals) {
  const double hours = candidate.HoursAt(intervals);
  double excess = 0;
  if (question.deadline_h) excess = hours / *question.deadline_h;
  if (question.budget_usd) excess = std::max(excess, candidate.charge.Usd(hours) / *question.budget_usd);
  return excess;
}

/// The discount off the list price, in whole percent, that brings the bill of so many hours down to the
/// budget: storage stays as it is. Nothing where no discount would do, or none is ever taken off.
std::optional<int> DiscountFor(double budget_usd, const Candidate& candidate, const Offer& offer,
                               double hours) {
  if (!offer.list_usd_hour || *offer.list_usd_hour <= 0) return std::nullopt;
  const Charge& charge = candidate.charge;
  const double storage = charge.storage_usd_hour * hours;
  const double list = charge.machines * *offer.list_usd_hour * charge.billing.BilledHours(hours);
  const double percent = std::ceil(100 * (1 - (budget_usd - storage) / list));
  return percent > 0 && percent < 100 ? std::optional(static_cast<int>(percent)) : std::nullopt;
}

Near Describe(std::uint32_t index, const Outcome& outcome, double intervals) {
  const Candidate& candidate = outcome.set.candidates[index];
  const Question& question = outcome.question;
  const double hours = candidate.HoursAt(intervals);
  const double usd = candidate.charge.Usd(hours);
  Near near{.candidate = index};
  std::vector<std::string> missing;
  std::vector<std::string> flags;
  double probability = 1;
  if (question.deadline_h) probability = ProbabilityWithin(candidate.time, *question.deadline_h);
  if (question.budget_usd) {
    probability = std::min(
        probability, ProbabilityWithin(candidate.time, candidate.charge.HoursFor(*question.budget_usd)));
  }
  if (question.deadline_h && hours > *question.deadline_h) {
    missing.push_back(fmt::format("{} against {}", HoursText(hours), HoursText(*question.deadline_h)));
    flags.push_back(fmt::format("--deadline {:.1f}h", std::ceil(hours * 10) / 10));
  }
  if (question.budget_usd && usd > *question.budget_usd) {
    missing.push_back(fmt::format("{} against {}", UsdText(usd), UsdText(*question.budget_usd)));
    flags.push_back(fmt::format("--budget {:.0f}", std::ceil(usd)));
  }
  near.missing = fmt::format("{}", fmt::join(missing, " and "));
  near.would_fit = fmt::format("{}", fmt::join(flags, " "));
  const double confidence = std::floor(100 * probability) / 100;
  if (confidence >= kLeastConfidence && confidence < question.confidence) {
    near.would_fit += fmt::format(", or --confidence {:g}", confidence);
  }
  if (question.budget_usd && (!question.deadline_h || hours <= *question.deadline_h)) {
    const auto discount =
        DiscountFor(*question.budget_usd, candidate, outcome.set.offers[candidate.offer], hours);
    if (discount) near.would_fit += fmt::format(", or a discount of {} % off the list price", *discount);
  }
  return near;
}

}  // namespace

std::vector<RejectedMachine> RejectedMachines(const Outcome& outcome, const HoursAtCeiling& at_ceiling) {
  return Reasons(outcome, at_ceiling).All();
}

std::vector<Near> NearestCandidates(const Outcome& outcome, std::size_t count) {
  const double intervals = IntervalsOf(outcome.question.confidence);
  std::map<std::uint32_t, std::pair<double, std::uint32_t>> nearest;  // by machine: excess, candidate
  for (const std::uint32_t i : outcome.by_cost) {
    const double excess = Excess(outcome.set.candidates[i], outcome.question, intervals);
    const auto [found, fresh] = nearest.try_emplace(outcome.set.candidates[i].machine, excess, i);
    if (!fresh && excess < found->second.first) found->second = {excess, i};
  }
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const auto& [machine, near] : nearest) order.push_back(near);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Near> list;
  for (std::size_t i = 0; i < order.size() && i < count; ++i) {
    list.push_back(Describe(order[i].second, outcome, intervals));
  }
  return list;
}

}  // namespace stallscope
