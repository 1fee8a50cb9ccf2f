#pragma once

#include <functional>
#include <vector>

#include "stallscope/document/recommendation.h"
#include "stallscope/document/rental_units.h"
#include "stallscope/recommend/choose.h"
#include "stallscope/recommend/forecast.h"

namespace stallscope {

/// What is known when reasons are asked for.
struct Outcome {
  const Catalog& catalog;
  const Forecast& forecast;
  const CandidateSet& set;
  const Selection& by_cost;
  const Question& question;
  std::optional<std::uint32_t> choice;
  std::string region;  ///< that was asked for; empty: any
};

/// Hours of so many machines with that confidence, if their network kept its ceiling; nothing where the
/// machine has no such credit.
using HoursAtCeiling = std::function<std::optional<double>(std::size_t machine, const Configuration&)>;

/// Every machine but the chosen one, with why: by name.
std::vector<RejectedMachine> RejectedMachines(const Outcome& outcome, const HoursAtCeiling& at_ceiling);

/// A candidate that nearly fits.
struct Near {
  std::uint32_t candidate = 0;
  std::string missing;
  std::string would_fit;
};

/// Where nothing fits: the machines that come nearest, best first, each with what would make it fit.
std::vector<Near> NearestCandidates(const Outcome& outcome, std::size_t count);

}  // namespace stallscope
