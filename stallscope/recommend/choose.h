#pragma once

#include <optional>
#include <vector>

#include "stallscope/recommend/candidate.h"

namespace stallscope {

/// What is asked for. With a deadline, or with neither, the cheapest; with a budget alone, the fastest.
struct Question {
  std::optional<double> deadline_h;
  std::optional<double> budget_usd;
  double confidence = 0.9;

  bool WantsFastest() const { return budget_usd && !deadline_h; }
};

/// Indices of candidates.
using Selection = std::vector<std::uint32_t>;

/// Whether the job keeps the deadline, and its cost the budget, with that confidence.
bool Fits(const Candidate& candidate, const Question& question, double intervals);

/// By cost, then hours, then names (machine, region, market, nodes, batch): the order of documents.
Selection OrderByCost(const CandidateSet& set, const std::vector<Configuration>& configurations);
/// By hours, then cost, then as above. `by_cost` is OrderByCost's.
Selection OrderByHours(const CandidateSet& set, const Selection& by_cost);

std::optional<std::uint32_t> Choose(const CandidateSet& set, const Selection& by_cost,
                                    const Question& question);

/// Everything that Choose can answer, whatever the deadline and the budget, at these confidences; in the
/// order of `by_cost`.
Selection EverChosen(const CandidateSet& set, const Selection& by_cost,
                     const std::vector<double>& confidences);

/// The front of mean hours against mean cost, cheapest first.
Selection ParetoFront(const CandidateSet& set, const Selection& by_cost);

/// The best of every machine and market that fits, at most `count`, best first.
Selection BestOfEach(const CandidateSet& set, const Selection& by_cost, const Question& question,
                     std::size_t count);

}  // namespace stallscope
