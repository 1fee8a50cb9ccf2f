#include "stallscope/predict/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/predict/predictor.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr double kBitsPerByte = 8;

}  // namespace

std::string Describe(const WhatIf& what_if) {
  std::vector<std::string> parts;
  if (what_if.bandwidth) {
    parts.push_back(fmt::format("{:g} Gbit between machines", what_if.bandwidth->value * kBitsPerByte / 1e9));
  }
  if (!what_if.gpu.empty()) parts.push_back(what_if.gpu + " GPUs");
  if (what_if.workers) {
    parts.push_back(
        fmt::format("{} loader worker{} per GPU", *what_if.workers, *what_if.workers == 1 ? "" : "s"));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

Machine Changed(const Machine& machine, const WhatIf& what_if) {
  Machine changed = machine;
  if (what_if.bandwidth) {
    changed.network_ceiling = changed.network_baseline = what_if.bandwidth;
    changed.burst = NetworkBurst::kNone;
    if (changed.fabric && changed.fabric->rate) changed.fabric->rate = what_if.bandwidth;
  }
  if (!what_if.gpu.empty()) {
    changed.gpu = changed.gpu_listed = what_if.gpu;
    changed.gpu_memory.reset();
    // Whoever changes a GPU gets a whole one.
    changed.gpus = std::max(1.0, changed.gpus);
  }
  return changed;
}

Estimate StepTimeChange(const TrainingPrediction& plain, const TrainingPrediction& changed,
                        const WhatIf& what_if) {
  const bool same_gpu = plain.gpu == changed.gpu;
  const std::vector<double>& one = plain.step_effects;
  const std::vector<double>& other = changed.step_effects;
  double variance = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    const bool shared = same_gpu || i != kCompute;
    variance += shared ? (other[i] - one[i]) * (other[i] - one[i]) : other[i] * other[i] + one[i] * one[i];
  }
  const double log_ratio = std::log(changed.step_s.mean / plain.step_s.mean);
  const double half = kNormal95 * std::sqrt(variance);
  Estimate change{std::expm1(log_ratio), std::expm1(log_ratio - half), std::expm1(log_ratio + half)};
  const bool one_direction = same_gpu && what_if.bandwidth.has_value() != what_if.workers.has_value();
  if (one_direction && change.mean <= 0) change.high = std::min(0.0, change.high);
  if (one_direction && change.mean >= 0) change.low = std::max(0.0, change.low);
  return change;
}

}  // namespace stallscope
