#include "stallscope/predict/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr double kNormal95 = 1.96;
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
  }
  return changed;
}

Estimate StepTimeChange(const TrainingPrediction& plain, const TrainingPrediction& changed,
                        bool same_compute) {
  // Behind the effects of the parameters stands that of the compute time.
  const std::vector<double>& one = plain.step_effects;
  const std::vector<double>& other = changed.step_effects;
  double variance = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    const bool shared = same_compute || i != kParameters;
    variance += shared ? (other[i] - one[i]) * (other[i] - one[i]) : other[i] * other[i] + one[i] * one[i];
  }
  const double log_ratio = std::log(changed.step_s.mean / plain.step_s.mean);
  const double half = kNormal95 * std::sqrt(variance);
  return {std::expm1(log_ratio), std::expm1(log_ratio - half), std::expm1(log_ratio + half)};
}

}  // namespace stallscope
