#include "stallscope/law/law_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/law/depth.h"
#include "stallscope/law/fit.h"
#include "stallscope/law/law_words.h"

namespace stallscope {
namespace {

/// With fewer, leaving one out leaves nothing to learn from.
constexpr std::size_t kFewestNetworks = 3;

LawParts PartsOf(const ExchangeStall& stall) {
  return {.wire_s = stall.wire.count(),
          .calls_s = stall.calls.count(),
          .processors_s = stall.processors.count(),
          .stragglers_s = stall.stragglers.count(),
          .hidden_s = stall.hidden.count()};
}

LawPoint PointOf(const FitData& data, const FitPoint& point, const ExchangeLaw& law) {
  LawPoint row{.network = data.networks[point.network].name,
               .place = point.place,
               .bandwidth_bytes_per_s = std::nullopt,
               .all_reduces = static_cast<int>(point.step.buckets.size()),
               .rounds = point.measured.rounds,
               .compute_s = point.measured.crowd_s,
               .backward_s = point.measured.crowd.backward_s,
               .step_time_s = point.measured.step_s,
               .stall_s = point.measured.stall_s,
               .fitted = true,
               .law = JudgementOf(law, point),
               .law_left_out = std::nullopt,
               .macroscopic_left_out = std::nullopt,
               .parts = PartsOf(StallParts(law, point.step))};
  if (point.step.wire) row.bandwidth_bytes_per_s = point.step.wire->value;
  return row;
}

/// Every network in turn is left out, and judged by what the others say.
void LeaveOut(const FitData& data, const ExchangeLaw& law, Law& document) {
  for (std::size_t network = 0; network < data.networks.size(); ++network) {
    const std::vector<const FitPoint*> others = PointsWithout(data, network);
    if (others.empty()) continue;
    const ExchangeLaw without = FitLaw(others, law);
    for (std::size_t i = 0; i < data.points.size(); ++i) {
      const FitPoint& point = data.points[i];
      if (point.network != network) continue;
      LawPoint& row = document.points[i];
      row.law_left_out = JudgementOf(without, point);
      std::vector<const FitPoint*> here;
      std::copy_if(others.begin(), others.end(), std::back_inserter(here),
                   [&](const FitPoint* other) { return other->place == point.place; });
      if (const auto form = FitMacroscopic(data, here)) {
        const double stall = MacroscopicStall(*form, data.networks[network]);
        row.macroscopic_left_out = LawJudgement{stall, (stall - row.stall_s.mean) / row.step_time_s.mean};
      }
    }
  }
}

/// The errors of points that `belongs` lets in, by the judgement that `judge` picks.
template <typename Belongs, typename Judge>
std::optional<LawErrors> Errors(const FitData& data, const Law& document, const Belongs& belongs,
                                const Judge& judge) {
  std::vector<PointError> errors;
  for (std::size_t i = 0; i < document.points.size(); ++i) {
    const std::optional<LawJudgement> judgement = judge(document.points[i]);
    if (judgement && belongs(document.points[i])) {
      errors.push_back({judgement->error, data.points[i].network, i});
    }
  }
  return ErrorsOf(errors);
}

template <typename Name>
std::vector<LawErrorGroup> GroupsBy(const FitData& data, const Law& document, const Name& name) {
  std::vector<std::string> names;
  for (const LawPoint& point : document.points) {
    if (std::find(names.begin(), names.end(), name(point)) == names.end()) names.push_back(name(point));
  }
  std::vector<LawErrorGroup> groups;
  for (const std::string& one : names) {
    const auto belongs = [&](const LawPoint& point) { return name(point) == one; };
    const auto law =
        Errors(data, document, belongs, [](const LawPoint& point) { return point.law_left_out; });
    if (!law) continue;
    groups.push_back({one, *law, Errors(data, document, belongs, [](const LawPoint& point) {
                        return point.macroscopic_left_out;
                      })});
  }
  return groups;
}

void AddErrors(const FitData& data, Law& document) {
  const auto all = [](const LawPoint&) { return true; };
  document.law_errors = Errors(data, document, all, [](const LawPoint& p) { return p.law_left_out; });
  document.macroscopic_errors =
      Errors(data, document, all, [](const LawPoint& p) { return p.macroscopic_left_out; });
  document.fitted_errors =
      Errors(data, document, all, [](const LawPoint& p) { return std::optional(p.law); });
  document.by_link = GroupsBy(data, document, [](const LawPoint& point) { return point.place.link; });
  document.by_bucket = GroupsBy(data, document, [](const LawPoint& point) { return point.place.bucket; });
}

std::vector<LawPlace> PlacesOf(const FitData& data) {
  std::vector<LawPlace> places;
  for (const FitPoint& point : data.points) {
    if (std::find(places.begin(), places.end(), point.place) == places.end()) places.push_back(point.place);
  }
  return places;
}

/// Fitted on small networks, tried on the others; nothing where there are none of either.
std::optional<LawExtrapolation> Extrapolate(const FitData& data, const ExchangeLaw& law,
                                            std::int64_t below_parameters) {
  LawExtrapolation extrapolation;
  extrapolation.below_parameters = below_parameters;
  std::vector<const FitPoint*> small;
  for (const FitPoint& point : data.points) {
    const LawNetwork& network = data.networks[point.network];
    if (network.parameters >= below_parameters) continue;
    small.push_back(&point);
    std::vector<std::string>& names = extrapolation.networks;
    if (std::find(names.begin(), names.end(), network.name) == names.end()) names.push_back(network.name);
  }
  if (extrapolation.networks.size() < kFewestNetworks) return std::nullopt;
  const ExchangeLaw of_small = FitLaw(small, law);
  for (const FitPoint& point : data.points) {
    const LawNetwork& network = data.networks[point.network];
    if (network.parameters < below_parameters) continue;
    const LawJudgement judgement = JudgementOf(of_small, point);
    const double measured = point.measured.stall_s.mean;
    if (!(measured > 0)) continue;  // no stall to be off from
    const double error = judgement.stall_s / measured - 1;
    extrapolation.rows.push_back({.network = network.name,
                                  .place = point.place,
                                  .stall_s = point.measured.stall_s,
                                  .predicted_s = judgement.stall_s,
                                  .error = error,
                                  .error_of_step = judgement.error});
    extrapolation.worst = std::max(extrapolation.worst, std::abs(error));
  }
  if (extrapolation.rows.empty()) return std::nullopt;
  return extrapolation;
}

void AddSweep(const Sweep& sweep, const FitData& data, Law& document) {
  for (const SweptCell& cell : sweep.cells) document.sweep_seconds += cell.seconds;
  for (const SweepCell& cell : sweep.wanted) {
    for (const SweepLink& link : cell.links) {
      ++document.planned_points;
      const LawPlace place{cell.bucket, link.name, cell.ranks};
      std::string reason = "not measured: the time was over";
      bool used = false;
      for (const SweptCell& swept : sweep.cells) {
        if (!swept.cell.SameLaunch(cell) || !StallOver(swept.rounds, link.name)) continue;
        reason = "other processes disturbed its rounds";
        used = std::any_of(data.points.begin(), data.points.end(), [&](const FitPoint& point) {
          const LawNetwork& network = data.networks[point.network];
          const bool same =
              network.name == cell.network.spec || network.name.starts_with(cell.network.spec + " (");
          return point.place == place && same && network.batch == cell.network.batch;
        });
      }
      if (used) continue;
      for (const auto& [failed, why] : sweep.failed) {
        if (failed.SameLaunch(cell)) reason = "failed: " + why;
      }
      document.missing.push_back({cell.network.spec, place, reason});
    }
  }
  document.planned_points = std::max(document.planned_points, data.points.size());
}

}  // namespace

Law MakeLaw(const Sweep& sweep, const LawOptions& options) {
  const FitData data = FitDataOf(sweep);
  if (data.networks.size() < kFewestNetworks || data.points.size() <= kLawCoefficients) {
    throw Error(
        fmt::format("{} points of {} networks are too few for a law of {} coefficients", data.points.size(),
                    data.networks.size(), kLawCoefficients),
        fmt::format("measure {} networks or more: stallscope law sweep --resume DIR", kFewestNetworks));
  }
  Law document;
  document.tool = sweep.origin.tool;
  document.host = sweep.origin.host;
  document.seed = options.seed;
  document.networks = data.networks;
  AddSweep(sweep, data, document);
  const ExchangeLaw law = FitLaw(AllPoints(data));
  for (const FitPoint& point : data.points) document.points.push_back(PointOf(data, point, law));
  document.coefficients = CoefficientsOf(data, law, options.seed, options.resamples);
  LeaveOut(data, law, document);
  AddErrors(data, document);
  for (const LawPlace& place : PlacesOf(data)) {
    std::vector<const FitPoint*> here;
    for (const FitPoint& point : data.points) {
      if (point.place == place) here.push_back(&point);
    }
    if (const auto form = FitMacroscopic(data, here)) document.macroscopic.push_back(*form);
    if (const auto depth = DepthAt(data, here, law)) document.depth.push_back(*depth);
  }
  document.extrapolation = Extrapolate(data, law, options.small_parameters);
  document.statements = StatementsOf(document);
  document.answer = AnswerOf(document);
  return document;
}

ExchangeLaw ExchangeLawOf(const Law& law) {
  ExchangeLaw coefficients;
  for (const LawCoefficient& coefficient : LawCoefficients()) {
    const auto found = std::find_if(law.coefficients.begin(), law.coefficients.end(),
                                    [&](const LawValue& value) { return value.name == coefficient.name; });
    if (found == law.coefficients.end()) {
      throw Error(fmt::format("the law has no coefficient '{}'", coefficient.name),
                  "fit it again: stallscope law fit DIR");
    }
    coefficients.*coefficient.value = found->value.mean;
  }
  return coefficients;
}

}  // namespace stallscope
