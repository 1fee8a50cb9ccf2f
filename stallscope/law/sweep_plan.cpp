#include "stallscope/law/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

/// Forward, and backward for input and weight.
constexpr double kPasses = 3;
/// How far one network's stall may lie from the law, as a share of its step: what makes another network worth
/// more than another point of the same one.
constexpr double kNetworkSpread = 0.05;
/// Of a coefficient, before anything is measured: it may be off by a factor of about e.
constexpr double kPriorInformation = 1e-4;
/// Coefficients are moved by this share to see what they do.
constexpr double kNudge = 0.05;
/// Copies of a network's gradients and weights, for the memory's share of the backward pass.
constexpr BytesPerSecond kForeseenMemory{6e9};
/// Backward is two of the three passes.
constexpr double kBackwardShare = 2.0 / 3;
constexpr double kOptimizerShare = 0.1;

/// The inverse of the information matrix, to which points are added and taken away.
class Information {
 public:
  explicit Information(std::size_t size) : size_(size), inverse_(size * size, 0.0) {
    for (std::size_t i = 0; i < size; ++i) inverse_[i * size + i] = 1 / kPriorInformation;
  }

  /// x' M^-1 x: how much a point says of what nothing else says.
  double Leverage(const std::vector<double>& x) const { return Dot(x, Times(x)); }

  void Add(const std::vector<double>& x) { Update(x, 1); }
  void Remove(const std::vector<double>& x) { Update(x, -1); }

 private:
  /// Sherman and Morrison's formula.
  void Update(const std::vector<double>& x, double sign) {
    const std::vector<double> column = Times(x);
    const double scale = sign / (1 + sign * Dot(x, column));
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) inverse_[i * size_ + j] -= scale * column[i] * column[j];
    }
  }

  std::vector<double> Times(const std::vector<double>& x) const {
    std::vector<double> product(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) product[i] += inverse_[i * size_ + j] * x[j];
    }
    return product;
  }

  static double Dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  std::size_t size_;
  std::vector<double> inverse_;
};

std::vector<double> Sensitivities(const ExchangeStep& step, const ExchangeLaw& law) {
  const cost::StepCompute& compute = step.compute;
  const double stall = StallUnder(law, step).count();
  const double whole = (compute.forward + compute.backward + compute.optimizer).count() + stall;
  std::vector<double> features;
  for (const LawCoefficient& coefficient : LawCoefficients()) {
    ExchangeLaw nudged = law;
    nudged.*coefficient.value *= 1 + kNudge;
    features.push_back((StallUnder(nudged, step).count() - stall) / kNudge / whole);
  }
  return features;
}

}  // namespace

double CellTime::Total() const {
  return std::accumulate(link_s.begin(), link_s.end(), launch_s);
}

ExchangeStep ForeseenStep(const SweepCell& cell, const SweepLink& link, const SweepSpeed& speed) {
  const Network network = BuildNetwork(cell.network.spec, OptionsOf(cell.network));
  const NetworkTotals totals = Totals(network);
  const double macs_s =
      kPasses * cell.network.batch * static_cast<double>(totals.forward_macs) / speed.macs_per_s;
  const double compute_s = macs_s + speed.s_per_gradient_byte * static_cast<double>(totals.gradient_bytes);
  ExchangeStep step;
  step.compute.backward = Seconds(kBackwardShare * (1 - kOptimizerShare) * compute_s);
  step.compute.optimizer = Seconds(kOptimizerShare * compute_s);
  step.compute.forward = Seconds(compute_s) - step.compute.backward - step.compute.optimizer;
  step.buckets =
      EngineBuckets(network, cell.bucket, cell.network.batch, step.compute.backward, kForeseenMemory);
  step.tensors = static_cast<int>(totals.gradient_tensors);
  step.broadcasts = !BufferTensors(network).empty();
  step.ranks = cell.ranks;
  step.wire = link.rate;
  return step;
}

CellTime ForeseenTime(const SweepCell& cell, const CellOptions& options, const SweepSpeed& speed) {
  CellTime time;
  const auto block = [&](double step_s) {
    const double settling = step_s < options.settle_below_s ? 1 : 0;
    return step_s * (settling + std::clamp(std::round(options.block_target_s / step_s), 1.0,
                                           static_cast<double>(options.max_steps)));
  };
  double crowd_s = 0;
  double unshaped_s = 0;
  double round_s = 0;
  std::vector<double> step_s;
  for (const SweepLink& link : cell.links) {
    const ExchangeStep step = ForeseenStep(cell, link, speed);
    crowd_s = (step.compute.forward + step.compute.backward + step.compute.optimizer).count();
    step_s.push_back(crowd_s + StallUnder(speed.law, step).count());
    ExchangeStep unshaped = step;
    unshaped.wire = std::nullopt;
    unshaped_s = crowd_s + StallUnder(speed.law, unshaped).count();
    round_s += block(step_s.back());
  }
  round_s += block(crowd_s);
  // About one round more than the least is needed for the tolerance, and half of those that are had for
  // little.
  const double cheap =
      std::min<double>(options.max_short_rounds,
                       speed.factor * round_s > 0 ? options.short_rounds_s / (speed.factor * round_s) : 0);
  const double usual = std::max(options.min_rounds + 1.0, cheap / 2);
  double most_rounds = 0;
  for (const double one : step_s) {
    const double rounds = one > options.long_block_s ? options.min_long_rounds : usual;
    most_rounds = std::max(most_rounds, rounds);
    time.link_s.push_back(speed.factor * rounds * block(one));
  }
  // Three steps each to warm up.
  time.launch_s =
      speed.start_s + speed.factor * (3 * crowd_s + 3 * unshaped_s + most_rounds * block(crowd_s));
  return time;
}

std::vector<std::size_t> MostInformative(const std::vector<PlannedPoint>& points,
                                         const std::vector<double>& launch_s, double max_time_s) {
  std::vector<std::size_t> kept(points.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (points.empty()) return kept;
  Information information(points.front().features.size());
  std::map<std::size_t, int> points_of_cell;
  double total = 0;
  for (const PlannedPoint& point : points) {
    information.Add(point.features);
    total += point.seconds;
    if (points_of_cell[point.cell]++ == 0) total += launch_s[point.cell];
  }
  const auto price = [&](const PlannedPoint& point) {
    // Every point of a launch carries its share of it; the last one carries all.
    return point.seconds + launch_s[point.cell] / points_of_cell.at(point.cell);
  };
  while (total > max_time_s && !kept.empty()) {
    const auto loss_per_second = [&](std::size_t index) {
      const double leverage = std::min(1 - 1e-12, information.Leverage(points[index].features));
      return -std::log1p(-leverage) / price(points[index]);
    };
    std::vector<double> losses;
    for (const std::size_t index : kept) losses.push_back(loss_per_second(index));
    const auto least = std::min_element(losses.begin(), losses.end()) - losses.begin();
    const PlannedPoint& point = points[kept[static_cast<std::size_t>(least)]];
    total -= point.seconds;
    if (--points_of_cell[point.cell] == 0) total -= launch_s[point.cell];
    information.Remove(point.features);
    kept.erase(kept.begin() + least);
  }
  return kept;
}

SweepPlan PlanSweep(const std::vector<SweepCell>& cells, const CellOptions& options, const SweepSpeed& speed,
                    std::optional<double> max_time_s) {
  std::vector<std::string> networks;
  for (const SweepCell& cell : cells) {
    if (std::find(networks.begin(), networks.end(), cell.network.spec) == networks.end())
      networks.push_back(cell.network.spec);
  }
  std::vector<PlannedPoint> points;
  std::vector<CellTime> times;
  std::vector<double> launch_s;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    times.push_back(ForeseenTime(cells[i], options, speed));
    launch_s.push_back(times.back().launch_s);
    for (std::size_t link = 0; link < cells[i].links.size(); ++link) {
      PlannedPoint point{i, link, times.back().link_s[link], {}};
      point.features = Sensitivities(ForeseenStep(cells[i], cells[i].links[link], speed), speed.law);
      for (const std::string& network : networks)
        point.features.push_back(network == cells[i].network.spec ? kNetworkSpread : 0);
      points.push_back(std::move(point));
    }
  }
  std::vector<std::size_t> kept(points.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (max_time_s) kept = MostInformative(points, launch_s, *max_time_s);

  SweepPlan plan;
  std::vector<std::pair<double, SweepCell>> chosen;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    SweepCell cell = cells[i];
    cell.links.clear();
    double seconds = launch_s[i];
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (points[p].cell != i) continue;
      const SweepLink& link = cells[i].links[points[p].link];
      if (std::binary_search(kept.begin(), kept.end(), p)) {
        cell.links.push_back(link);
        seconds += points[p].seconds;
      } else {
        plan.dropped.push_back({cells[i], link, "left out for --max-time: it would have said least"});
      }
    }
    if (cell.links.empty()) continue;
    plan.points += cell.links.size();
    plan.seconds += seconds;
    chosen.emplace_back(seconds, std::move(cell));
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [seconds, cell] : chosen) {
    plan.cells.push_back(std::move(cell));
    plan.cell_seconds.push_back(seconds);
  }
  return plan;
}

}  // namespace stallscope
