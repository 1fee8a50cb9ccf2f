#include "stallscope/ladder/observed_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "stallscope/stats/bootstrap.h"

namespace stallscope {
namespace {

/// Enough for an interval; when they are twice as many, neighbours are put together.
constexpr std::size_t kWindows = 32;
constexpr std::uint64_t kSeed = 1;
/// Of a clock or a step; "inf", "nan" and what sums of squares could not hold are no records.
constexpr double kMostSeconds = 1e12;

}  // namespace

std::optional<ObservedStep> ParseObservedStep(const std::string& line) {
  ObservedStep step;
  long long number = 0;
  const int read = std::sscanf(line.c_str(), "%lld,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &number, &step.end_s,
                               &step.data_wait_s, &step.copy_s, &step.forward_s, &step.backward_s,
                               &step.exposed_communication_s, &step.optimizer_s, &step.total_s, &step.hook_s);
  const std::array seconds = {step.end_s,       step.data_wait_s, step.copy_s,
                              step.forward_s,   step.backward_s,  step.exposed_communication_s,
                              step.optimizer_s, step.total_s,     step.hook_s};
  const bool finite =
      std::all_of(seconds.begin(), seconds.end(), [](double s) { return std::fabs(s) < kMostSeconds; });
  if (read != 10 || !finite) return std::nullopt;
  step.number = number;
  return step;
}

void ObservedSteps::Add(int rank, const ObservedStep& step) {
  if (rank == 0 && first_s_ == 0) first_s_ = step.end_s - step.total_s;
  if (rank == 0) last_s_ = step.end_s;
  Pending& pending = pending_[step.number];
  const bool first = pending.ranks++ == 0;
  pending.sums[kDataWait] += step.data_wait_s;
  pending.sums[kCopy] += step.copy_s;
  pending.sums[kForward] += step.forward_s;
  pending.sums[kBackward] += step.backward_s;
  pending.sums[kExposed] += step.exposed_communication_s;
  pending.sums[kOptimizer] += step.optimizer_s;
  pending.sums[kHook] += step.hook_s;
  pending.sums[kTotal] += step.total_s;
  pending.least_exposed_s =
      first ? step.exposed_communication_s : std::min(pending.least_exposed_s, step.exposed_communication_s);
  if (pending.ranks < ranks_) return;
  Close(pending);
  // A rank that left a step out will not bring it any more.
  pending_.erase(pending_.begin(), pending_.upper_bound(step.number));
}

void ObservedSteps::Close(const Pending& step) {
  ++steps_;
  if (windows_.empty() || windows_.back().steps >= steps_per_window_) {
    if (windows_.size() >= 2 * kWindows) HalveWindows();
    windows_.emplace_back();
  }
  Window& window = windows_.back();
  ++window.steps;
  for (int part = 0; part < kParts; ++part) window.sums[part] += step.sums[part] / ranks_;
  // The last rank to arrive waits for nobody: what others wait longer than it is skew.
  const double skew = step.sums[kExposed] / ranks_ - step.least_exposed_s;
  window.sums[kSkew] += skew;
  window.sums[kExposed] -= skew;
}

void ObservedSteps::HalveWindows() {
  std::vector<Window> halved;
  for (std::size_t i = 0; i + 1 < windows_.size(); i += 2) {
    Window& window = halved.emplace_back(windows_[i]);
    window.steps += windows_[i + 1].steps;
    for (int part = 0; part < kParts; ++part) window.sums[part] += windows_[i + 1].sums[part];
  }
  windows_ = std::move(halved);
  steps_per_window_ *= 2;
}

void ObservedSteps::Fill(Observation& observation) const {
  observation.steps = steps_;
  observation.observed_s = last_s_ - first_s_;
  // The last window is still filling up.
  std::size_t whole = windows_.size();
  if (whole > 0 && windows_.back().steps < steps_per_window_) --whole;
  if (whole < 2) return;
  std::array<std::vector<double>, kParts> series;
  for (std::size_t i = 0; i < whole; ++i) {
    for (int part = 0; part < kParts; ++part) {
      series[part].push_back(windows_[i].sums[part] / static_cast<double>(windows_[i].steps));
    }
  }
  const Bootstrap bootstrap(whole, kSeed);
  const auto part = [&](Part which) {
    return ObservedPart{.seconds = bootstrap.Mean(series[which]),
                        .share = bootstrap.Ratio(series[which], series[kTotal])};
  };
  observation.step_time_s = bootstrap.Mean(series[kTotal]);
  observation.data_wait = part(kDataWait);
  observation.copy = part(kCopy);
  observation.forward = part(kForward);
  observation.backward = part(kBackward);
  observation.exposed_communication = part(kExposed);
  if (ranks_ > 1) observation.skew = part(kSkew);
  observation.optimizer = part(kOptimizer);
  observation.hook = part(kHook);
}

}  // namespace stallscope
