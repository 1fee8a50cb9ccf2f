#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stallscope/law/law_points.h"

namespace stallscope {

/// The coefficients that come closest to measured stalls, as shares of their steps. What no point says
/// anything of stays where it was known before (wide priors).
ExchangeLaw FitLaw(std::span<const FitPoint* const> points, const ExchangeLaw& start = {});

/// Points of all networks, or of all but one.
std::vector<const FitPoint*> AllPoints(const FitData& data);
std::vector<const FitPoint*> PointsWithout(const FitData& data, std::size_t network);

/// The coefficients with intervals from resampled networks: points of one network err alike.
std::vector<LawValue> CoefficientsOf(const FitData& data, const ExchangeLaw& law, std::uint64_t seed,
                                     int resamples = 200);

LawJudgement JudgementOf(const ExchangeLaw& law, const FitPoint& point);

/// The macroscopic form at one place, weighted as the law's fit is. Nothing for fewer than four networks, or
/// where these do not tell its terms apart.
std::optional<MacroscopicForm> FitMacroscopic(const FitData& data, std::span<const FitPoint* const> points);
double MacroscopicStall(const MacroscopicForm& form, const LawNetwork& network);

/// Of single errors, each with the index of its network and of its point.
struct PointError {
  double error = 0;
  std::size_t network = 0;
  std::size_t point = 0;
};
std::optional<LawErrors> ErrorsOf(const std::vector<PointError>& errors);

}  // namespace stallscope
