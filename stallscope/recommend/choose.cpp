#include "stallscope/recommend/choose.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace stallscope {
namespace {

/// Points of hours and cost, of which none is beaten in both: the more hours, the less cost.
class Staircase {
 public:
  /// Whether a point on the stairs takes no more hours and no more money.
  bool Beats(double hours, double usd) const {
    const auto above = points_.upper_bound(hours);
    return above != points_.begin() && std::prev(above)->second <= usd;
  }

  void Add(double hours, double usd) {
    auto next = points_.lower_bound(hours);
    while (next != points_.end() && next->second >= usd) next = points_.erase(next);
    points_[hours] = usd;
  }

 private:
  std::map<double, double> points_;
};

}  // namespace

bool Fits(const Candidate& candidate, const Question& question, double intervals) {
  const double hours = candidate.HoursAt(intervals);
  if (question.deadline_h && !(hours <= *question.deadline_h)) return false;
  return !question.budget_usd || candidate.charge.Usd(hours) <= *question.budget_usd;
}

Selection OrderByCost(const CandidateSet& set, const std::vector<Configuration>& configurations) {
  Selection order(set.candidates.size());
  std::iota(order.begin(), order.end(), 0);
  const auto names = [&](const Candidate& c) {
    const Offer& offer = set.offers[c.offer];
    const Configuration& configuration = configurations[c.configuration];
    return std::make_tuple(c.rank, std::cref(offer.region), offer.market, configuration.nodes,
                           configuration.batch);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    const Candidate& a = set.candidates[i];
    const Candidate& b = set.candidates[j];
    if (a.usd != b.usd) return a.usd < b.usd;
    if (a.hours != b.hours) return a.hours < b.hours;
    return names(a) < names(b);
  });
  return order;
}

Selection OrderByHours(const CandidateSet& set, const Selection& by_cost) {
  Selection order = by_cost;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return set.candidates[i].hours < set.candidates[j].hours;
  });
  return order;
}

std::optional<std::uint32_t> Choose(const CandidateSet& set, const Selection& by_cost,
                                    const Question& question) {
  const double intervals = IntervalsOf(question.confidence);
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : by_cost) {
    const Candidate& candidate = set.candidates[i];
    // Of equal hours the first is the cheapest.
    if (best && !(candidate.hours < set.candidates[*best].hours)) continue;
    if (!Fits(candidate, question, intervals)) continue;
    best = i;
    if (!question.WantsFastest()) break;
  }
  return best;
}

Selection EverChosen(const CandidateSet& set, const Selection& by_cost,
                     const std::vector<double>& confidences) {
  std::vector<bool> kept(set.candidates.size());
  const Selection by_hours = OrderByHours(set, by_cost);
  for (const double confidence : confidences) {
    const double intervals = IntervalsOf(confidence);
    // With a deadline, and a budget or none: the cheapest that no cheaper one beats in both.
    Staircase stairs;
    for (const std::uint32_t i : by_cost) {
      const double hours = set.candidates[i].HoursAt(intervals);
      const double usd = set.candidates[i].charge.Usd(hours);
      if (stairs.Beats(hours, usd)) continue;
      stairs.Add(hours, usd);
      kept[i] = true;
    }
    // With a budget alone: the fastest that no faster one beats in money.
    std::optional<double> least;
    for (const std::uint32_t i : by_hours) {
      const double usd = set.candidates[i].UsdAt(intervals);
      if (least && usd >= *least) continue;
      least = usd;
      kept[i] = true;
    }
  }
  Selection chosen;
  std::copy_if(by_cost.begin(), by_cost.end(), std::back_inserter(chosen),
               [&](std::uint32_t i) { return kept[i]; });
  return chosen;
}

Selection ParetoFront(const CandidateSet& set, const Selection& by_cost) {
  Selection front;
  for (const std::uint32_t i : by_cost) {
    if (front.empty() || set.candidates[i].hours < set.candidates[front.back()].hours) front.push_back(i);
  }
  return front;
}

Selection BestOfEach(const CandidateSet& set, const Selection& by_cost, const Question& question,
                     std::size_t count) {
  const double intervals = IntervalsOf(question.confidence);
  const Selection order = question.WantsFastest() ? OrderByHours(set, by_cost) : by_cost;
  Selection best;
  std::set<std::uint32_t> seen;  // offers: one of each machine and market
  for (const std::uint32_t i : order) {
    if (best.size() == count) break;
    const Candidate& candidate = set.candidates[i];
    if (seen.contains(candidate.offer) || !Fits(candidate, question, intervals)) continue;
    seen.insert(candidate.offer);
    best.push_back(i);
  }
  return best;
}

}  // namespace stallscope
