#include "stallscope/engine/curve_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/curve_plan.h"
#include "stallscope/machine/minutes_apart.h"
#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/link_fit.h"
#include "stallscope/stats/random.h"
#include "stallscope/stats/series.h"

namespace stallscope {
namespace {

/// Where a curve takes longer than its first try promised, it ends after so many shares of its time, even
/// with few rounds.
constexpr double kPatience = 1.5;
constexpr int kFewestRounds = 3;
/// A block that others disturbed is run again in the same round, up to so often in all.
constexpr int kTries = 3;

/// As nccl-tests do by default: the mean over the ranks.
double MeanOverRanks(const std::vector<CollectiveReport>& of_ranks, const CollectiveGroup& group,
                     std::size_t block) {
  double sum = 0;
  for (const int rank : group.ranks) sum += of_ranks.at(static_cast<std::size_t>(rank)).times.at(block);
  return sum / static_cast<double>(group.ranks.size());
}

/// Few rounds have wide intervals, which may reach below 0; no time does, nor below the least that was seen.
Estimate NoShorterThanSeen(Estimate time, const std::vector<double>& seen) {
  time.low = std::max(time.low, std::min(time.mean, *std::min_element(seen.begin(), seen.end())));
  return time;
}

/// One group's curve, from the first try to the fit.
class CurveMeasurement {
 public:
  CurveMeasurement(CollectiveRunner& runner, const CurveOptions& options, std::size_t number,
                   const CollectiveGroup& group, bool with_pair, Seconds share)
      : runner_(runner),
        options_(options),
        number_(number),
        group_(group),
        with_pair_(with_pair),
        share_(share),
        random_(options.seed + number) {
    curve_.where = group.InOneMachine() ? "machine" : "cluster";
    curve_.ranks = static_cast<int>(group.ranks.size());
    curve_.nodes = group.nodes;
  }

  CollectiveCurve Measure() {
    TrySizes();
    plan_ = PlanCurve(tried_, Left(), with_pair_);
    options_.say(fmt::format("all-reduce of {} ranks in {}: {} sizes, about {}", curve_.ranks,
                             curve_.nodes == 1 ? "this machine" : fmt::format("{} machines", curve_.nodes),
                             tried_.size(), FormatDuration(Seconds(plan_.rounds * plan_.round_s))));
    RunRounds();
    Summarise();
    return std::move(curve_);
  }

  double paused_s() const { return paused_s_; }

 private:
  Seconds Left() const { return share_ - Seconds(MonotonicSeconds() - begin_s_); }

  std::vector<CollectiveReport> Run(std::vector<CollectiveBlock> blocks) {
    if (options_.interrupted())
      throw Error("interrupted while collectives were measured", "run it again", kExitInterrupted);
    return runner_.Run(CollectiveRequest{.group = number_, .blocks = std::move(blocks)});
  }

  void TrySizes() {
    std::vector<std::int64_t> sizes = CurveSizes();
    Try({{.bytes = sizes.front(), .repeats = 3}});
    const int repeats = tried_.front().seconds > kLongLinkSeconds ? 1 : 3;
    std::vector<CollectiveBlock> small;
    std::vector<std::int64_t> large;
    for (const std::int64_t bytes : std::span(sizes).subspan(1)) {
      if (bytes > kLargestUnseen) {
        large.push_back(bytes);
      } else {
        small.push_back({.bytes = bytes, .repeats = repeats});
      }
    }
    Try(small);
    const CurveLimits limits{.memory_bytes = options_.memory_bytes,
                             .ranks_per_machine = curve_.ranks / curve_.nodes};
    for (const std::int64_t bytes : large) {
      CurveLimits now = limits;
      now.left = Left();
      if (const auto reason = WhyNotMeasured(bytes, tried_, now)) {
        curve_.absent.push_back({.bytes = bytes, .reason = *reason});
      } else {
        Try({{.bytes = bytes, .repeats = 1}});
      }
    }
  }

  void Try(const std::vector<CollectiveBlock>& blocks) {
    const std::vector<CollectiveReport> reports = Run(blocks);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      tried_.push_back({.bytes = blocks[i].bytes, .seconds = MeanOverRanks(reports, group_, i)});
  }

  void RunRounds() {
    times_.resize(plan_.blocks.size());
    std::vector<std::size_t> order(plan_.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int round = 0; round < plan_.rounds; ++round) {
      const bool enough = round >= kLeastCurveRounds && Left() < Seconds(0);
      const bool too_slow = round >= kFewestRounds && Left() < -(kPatience - 1) * share_;
      if (enough || too_slow) break;
      Pause();
      random_.Shuffle(order);
      RunRound(order);
      ++curve_.rounds;
    }
  }

  /// Every block once, and again what others disturbed: of several tries the least disturbed one counts.
  void RunRound(std::vector<std::size_t> order) {
    struct Try {
      double seconds = 0;
      std::optional<double> disturbance;
    };
    std::vector<Try> best(plan_.blocks.size());
    for (int tries = 0; tries < kTries && !order.empty(); ++tries) {
      std::vector<CollectiveBlock> blocks;
      for (const std::size_t i : order) blocks.push_back(plan_.blocks[i]);
      const std::vector<CollectiveReport> of_ranks = Run(std::move(blocks));
      std::vector<std::size_t> again;
      for (std::size_t place = 0; place < order.size(); ++place) {
        const std::size_t block = order[place];
        const double disturbance = DisturbanceOf(of_ranks, place);
        if (disturbance > 1) again.push_back(block);
        if (best[block].disturbance && *best[block].disturbance <= disturbance) continue;
        best[block] = {.seconds = TimeOf(of_ranks, plan_.blocks[block].kind, place),
                       .disturbance = disturbance};
      }
      order = std::move(again);
    }
    for (std::size_t i = 0; i < best.size(); ++i) times_[i].push_back(best[i].seconds);
    curve_.disturbed_blocks += static_cast<int>(order.size());
  }

  void Pause() {
    const double begin = MonotonicSeconds();
    options_.between_rounds();
    const double took = MonotonicSeconds() - begin;
    begin_s_ += took;
    paused_s_ += took;
  }

  double TimeOf(const std::vector<CollectiveReport>& of_ranks, CollectiveKind kind, std::size_t place) const {
    const auto seen_by = [&](int rank) {
      return of_ranks.at(static_cast<std::size_t>(rank)).times.at(place);
    };
    if (kind == CollectiveKind::kPing) return seen_by(group_.ranks[0]);
    if (kind == CollectiveKind::kStream) return seen_by(group_.ranks[1]);
    return MeanOverRanks(of_ranks, group_, place);
  }

  void Summarise() {
    const std::vector<Bootstrap> bootstraps =
        SeriesBootstraps(static_cast<std::size_t>(curve_.rounds), options_.seed);
    const double between = group_.InOneMachine() ? kMinutesApart.exchange : 0;
    const auto median_of = [&](const std::vector<double>& values) {
      Estimate median = bootstraps.front().Median(values);
      for (const Bootstrap& of_runs : bootstraps) Widen(median, of_runs.Median(values));
      return ForAnotherSeries(median, between);
    };
    RingTimes ring{.ranks = curve_.ranks, .trips_per_step = kGlooTripsPerStep, .bytes = {}, .times_s = {}};
    PointToPoint pair{.from_rank = group_.ranks[0], .to_rank = group_.ranks[1]};
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
      const CollectiveBlock& block = plan_.blocks[i];
      const Estimate time = NoShorterThanSeen(median_of(times_[i]), times_[i]);
      const auto bytes = static_cast<double>(block.bytes);
      if (block.kind == CollectiveKind::kPing) {
        pair.latency_s = time;
      } else if (block.kind == CollectiveKind::kStream) {
        pair.bytes_per_s = {.mean = bytes / time.mean, .low = bytes / time.high, .high = bytes / time.low};
      } else {
        curve_.points.push_back({.bytes = block.bytes,
                                 .time_s = time,
                                 .algorithm_bytes_per_s = AlgorithmBandwidth(bytes, time.mean),
                                 .bus_bytes_per_s = AllReduceBusBandwidth(bytes, time.mean, curve_.ranks),
                                 .repeats = block.repeats});
        if (block.bytes < SmallestWholeRing(curve_.ranks)) continue;
        ring.bytes.push_back(block.bytes);
        ring.times_s.push_back(times_[i]);
      }
    }
    if (with_pair_) curve_.point_to_point = pair;
    curve_.fit = FitLink(ring, bootstraps);
    if (curve_.fit) {
      curve_.fit->latency_s = WidenBetweenSeries(curve_.fit->latency_s, between);
      if (auto& rate = curve_.fit->bytes_per_s) rate = WidenBetweenSeries(*rate, between);
    } else {
      curve_.no_fit =
          fmt::format("{} sizes of {} or more were measured, and a fit needs {}", ring.bytes.size(),
                      FormatBytes(double(SmallestWholeRing(curve_.ranks))), kLeastSizesToFit);
    }
  }

  CollectiveRunner& runner_;
  const CurveOptions& options_;
  std::size_t number_;
  const CollectiveGroup& group_;
  bool with_pair_;
  Seconds share_;
  double begin_s_ = MonotonicSeconds();  ///< later by what the pauses took
  double paused_s_ = 0;
  Random random_;
  CollectiveCurve curve_;
  std::vector<TriedSize> tried_;
  CurvePlan plan_;
  std::vector<std::vector<double>> times_;  ///< for each block of the plan one for each round
};

}  // namespace

std::vector<CollectiveCurve> MeasureCurves(CollectiveRunner& runner, const CurveOptions& options) {
  const std::vector<CollectiveGroup> groups = CollectiveGroups(options.nodes, options.devices_per_node);
  double deadline = MonotonicSeconds() + options.budget.count();
  std::vector<CollectiveCurve> curves;
  bool pair_of_machines = false;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    // Two ranks of one machine, and two of two machines: once each.
    const bool first_across = !groups[i].InOneMachine() && !pair_of_machines;
    pair_of_machines = pair_of_machines || first_across;
    const bool first_inside = groups[i].InOneMachine() && groups[i].ranks.size() == 2;
    const Seconds share((deadline - MonotonicSeconds()) / static_cast<double>(groups.size() - i));
    CurveMeasurement one(runner, options, i, groups[i], first_inside || first_across, share);
    curves.push_back(one.Measure());
    deadline += one.paused_s();
  }
  return curves;
}

}  // namespace stallscope
