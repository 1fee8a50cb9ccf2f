#include "app/commands/probe_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/document/collective_quantities.h"
#include "stallscope/machine/cloud.h"
#include "stallscope/machine/cpu_load.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/interfaces.h"
#include "stallscope/machine/nvml.h"
#include "stallscope/machine/topology.h"
#include "stallscope/probe/local_probes.h"
#include "stallscope/probe/watch.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

/// More ranks than these take longer and say little more.
constexpr int kMostDefaultRanks = 4;
/// Of the time, where there is little; the curves are known well enough after kCurves_s.
constexpr double kCurveShare = 0.5;
constexpr double kCurves_s = 25;
/// Fewer have no interval worth the name.
constexpr int kFewestRounds = 4;
constexpr int kFewestOfFailure = 2;
constexpr double kShortest_s = 0.001;
/// While watching, curves and rounds alternate.
constexpr double kWatchedCurves_s = 20;
constexpr double kWatchedRounds_s = 40;

}  // namespace

ProbeJob::ProbeJob(const ProbeOptions& options, std::vector<std::string> argv)
    : options_(options), argv_(std::move(argv)), begin_s_(MonotonicSeconds()), work_(options.output) {
  PlanCollectives();
}

void ProbeJob::PlanCollectives() {
  no_collectives_ = "they were not asked for";
  if (!options_.collectives) return;
  const auto launched = ReadLaunchEnvironment(ProcessEnvironment());
  const int ranks = std::min(kMostDefaultRanks, static_cast<int>(AllowedCpus().size()));
  plan_ = PlanLaunch(options_.launch.request, launched, ranks);
  no_collectives_ = "one rank has nobody to reduce with";
  if (plan_.world_size < 2) return;
  try {
    collectives_.emplace(options_.launch, plan_, options_.output, work_.signals(), watchdog_);
    no_collectives_.clear();
  } catch (const Error& e) {
    const LaunchRequest& request = options_.launch.request;
    if (launched || request.nproc_per_node || request.nnodes) throw;
    no_collectives_ = e.what();
  }
}

std::string ProbeJob::PartsText() const {
  std::string text;
  const auto add = [&](bool wanted, const std::string& part) {
    if (wanted) text += (text.empty() ? "" : ", ") + part;
  };
  add(options_.parts.decode, "decoding");
  add(options_.parts.memory, "memory");
  add(options_.parts.disk, fmt::format("the disk below {}", options_.data));
  add(collectives_.has_value(), fmt::format("all-reduces between {} ranks", plan_.world_size));
  return text.empty() ? "nothing: only facts are read" : text;
}

void ProbeJob::PrintPlan() const {
  fmt::print("measures {}\n", PartsText());
  fmt::print("takes about {}\n", FormatDuration(Duration()));
}

MachineCard ProbeJob::ReadFacts() const {
  MachineCard card;
  card.tool.version = STALLSCOPE_VERSION;
  card.created = UtcNow();
  card.argv = argv_;
  card.host = ReadHost({});
  card.seed = options_.seed;
  card.cloud = RecogniseCloud({});
  card.topology = ReadTopology();
  card.gpus = Nvml().Facts();
  card.interfaces = ReadInterfaces({});
  return card;
}

void ProbeJob::MeasureRounds(const std::vector<ProbeTask>& tasks, double seconds, int fewest) {
  if (tasks.empty() || interrupted()) return;
  const RoundOptions options{.max_time = Seconds(seconds),
                             .fewest = fewest,
                             .first_round = static_cast<int>(rounds_.count()),
                             .seed = options_.seed};
  const double now = MonotonicSeconds();
  if (rounds_.count() == 0) first_round_s_ = now;
  const ProbeRounds more = RunRounds(tasks, options, [&](int round, const std::string& task) {
    return work_.Continue([&] {
      return fmt::format("round {}, {} of {}: {}", round + 1,
                         FormatDuration(Seconds(MonotonicSeconds() - begin_s_)), FormatDuration(Duration()),
                         task);
    });
  });
  rounds_.Append(more, now - first_round_s_);
}

void ProbeJob::MeasureCurves(double seconds, const std::function<void()>& between_rounds) {
  if (!collectives_ || interrupted()) return;
  const double now = MonotonicSeconds();
  try {
    // Other times, other orders: what an order does must not come back every time.
    const std::uint64_t seed = options_.seed + curves_.size();
    curves_.push_back({now - begin_s_, collectives_->Measure(Seconds(seconds), seed, between_rounds)});
  } catch (const Error& e) {
    // What was measured before is kept.
    if (interrupted()) return;
    failure_ = e;
    no_collectives_ = e.what();
    started_ = false;
    collectives_.reset();
  }
}

void ProbeJob::MeasureTogether(const std::vector<ProbeTask>& tasks) {
  const double total = Duration().count();
  const double begin = MonotonicSeconds();
  const double for_all = total - (begin - begin_s_);
  if (collectives_) {
    const double for_curves = tasks.empty() ? for_all : std::min(kCurves_s, kCurveShare * total);
    const double for_rounds = std::max(kShortest_s, for_all - for_curves);
    double in_rounds = 0;
    MeasureCurves(for_curves, [&] {
      // A round of ours whenever the curves are ahead.
      const double now = MonotonicSeconds();
      if (tasks.empty() || in_rounds / for_rounds > (now - begin - in_rounds) / for_curves) return;
      MeasureRounds(tasks, 0, 1);
      in_rounds += MonotonicSeconds() - now;
    });
  }
  // A lost rank ends it soon, with what makes a card.
  const int fewest = failure_ ? kFewestOfFailure : kFewestRounds;
  const double left = failure_ ? 0 : begin_s_ + total - MonotonicSeconds();
  MeasureRounds(tasks, left, std::max(0, fewest - static_cast<int>(rounds_.count())));
}

void ProbeJob::Watch(const std::vector<ProbeTask>& tasks) {
  if (tasks.empty() && !collectives_) return;
  const double end = begin_s_ + Duration().count();
  const auto left = [&] { return end - MonotonicSeconds(); };
  for (bool first = true; !interrupted() && !failure_ && (first || left() > 0); first = false) {
    const double for_rounds = collectives_ ? std::min(kWatchedRounds_s, left() - kWatchedCurves_s) : left();
    MeasureRounds(tasks, for_rounds, first ? 2 : 1);
    // What little is left at the end makes no curve worth comparing.
    if (first || left() > kWatchedCurves_s / 2)
      MeasureCurves(std::clamp(left(), kWatchedCurves_s / 2, kWatchedCurves_s), [] {});
  }
}

void ProbeJob::AddCurveDrifts(WatchResult& watch) const {
  ProbeRounds series;
  for (const TimedCurves& timed : curves_) {
    ProbeRounds one;
    one.times_s = {timed.at_s};
    for (const CollectiveCurve& curve : timed.curves) {
      for (const Quantity& quantity : QuantitiesOf(curve)) {
        one.names.push_back(quantity.name);
        one.values.push_back({quantity.value.mean});
      }
    }
    // A size that was left out this time leaves no series to look at.
    if (!series.names.empty() && one.names != series.names) return;
    series.Append(one, 0);
  }
  if (series.count() < kFewestWatchedRounds) return;
  const WatchResult of_curves = WatchOf(series);
  watch.drifts.insert(watch.drifts.end(), of_curves.drifts.begin(), of_curves.drifts.end());
  watch.outliers.insert(watch.outliers.end(), of_curves.outliers.begin(), of_curves.outliers.end());
}

/// Of all cores' time between two readings, what the hypervisor gave to others.
std::optional<double> ProbeJob::StealShare(const std::optional<CpuLoad>& before) const {
  const auto now = ReadCpuLoad({});
  const auto cores = ReadHost({}).cores;
  const double elapsed = MonotonicSeconds() - begin_s_;
  if (!before || !now || !cores || elapsed <= 0) return std::nullopt;
  return (now->steal_s - before->steal_s) / elapsed / *cores;
}

std::optional<MachineCard> ProbeJob::Measure() {
  const auto load_before = ReadCpuLoad({});
  Say(options_.output, fmt::format("measures {}; takes about {}", PartsText(), FormatDuration(Duration())));
  if (collectives_) {
    collectives_->Start();
    started_ = true;
  }
  MachineCard card = ReadFacts();
  LocalProbes probes(options_.parts, options_.data, card, options_.seed, &watchdog_,
                     [&] { return work_.Continue([] { return std::string("making a file to read"); }); });
  const std::vector<ProbeTask> tasks = probes.Tasks();
  if (options_.watch) {
    Watch(tasks);
  } else {
    MeasureTogether(tasks);
  }
  const bool enough = tasks.empty() || rounds_.count() >= 2;
  if (interrupted() && (!enough || (tasks.empty() && curves_.empty()))) return std::nullopt;
  card.rounds = static_cast<int>(rounds_.count());
  card.disturbed_blocks = rounds_.disturbed;
  card.steal_share = StealShare(load_before);
  card.stopped_by = interrupted()                    ? "interrupt"
                    : failure_                       ? "failure"
                    : tasks.empty() && !collectives_ ? "end"
                                                     : "max-time";
  if (!tasks.empty()) probes.Fill(rounds_, card);
  if (!curves_.empty()) card.collectives = curves_.back().curves;
  if (collectives_) card.tool.torch = collectives_->torch_version();
  if (!no_collectives_.empty()) card.absent.push_back({"collectives", no_collectives_});
  if (collectives_ && curves_.empty())
    card.absent.push_back({"collectives", "interrupted before they were measured"});
  if (options_.watch) {
    WatchResult watch;
    if (rounds_.count() >= kFewestWatchedRounds) watch = WatchOf(rounds_);
    watch.duration_s = MonotonicSeconds() - begin_s_;
    AddCurveDrifts(watch);
    card.watch = watch;
  }
  return card;
}

void ProbeJob::Finish(int exit_code) {
  if (started_) collectives_->Finish(exit_code);
}

}  // namespace stallscope
