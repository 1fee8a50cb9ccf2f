#pragma once

#include <optional>
#include <vector>

#include "stallscope/recommend/choose.h"

namespace stallscope {

/// How long a measurement takes once the machines are there.
inline constexpr double kMeasuringHours = 10.0 / 60;
/// Machines that are rented to measure, at most: what more of them do is predicted from there.
inline constexpr int kMostMeasuredNodes = 2;

/// The machine that is worth some minutes of rent before the whole job is placed.
struct MeasurementOffer {
  std::uint32_t machine = 0;
  std::uint32_t candidate = 0;  ///< that it might turn out to allow, or to confirm
  int nodes = 1;
  double hours = 0;
  double usd = 0;         ///< what measuring costs
  double worth_usd = 0;   ///< expected saving, at most
  bool confirms = false;  ///< the machine is that of the choice
};

/// Value of information. Today's plan is the choice. A measurement on one machine tells its error, as far as
/// its candidates correlate with what is measured; whatever it tells, the cheapest plan that then fits is
/// taken. The worth is the mean saving over everything that it may tell; what does not pay for itself is no
/// answer. Without a choice, the machine that most probably turns out to fit is named. `known` machines are
/// measured already.
std::optional<MeasurementOffer> NextMeasurementOf(const CandidateSet& set,
                                                  const std::vector<Configuration>& configurations,
                                                  const Selection& by_cost, const Question& question,
                                                  const std::vector<bool>& known);

}  // namespace stallscope
