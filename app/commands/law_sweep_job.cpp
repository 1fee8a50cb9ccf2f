#include "app/commands/law_sweep_job.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/commands/engine_ranks.h"
#include "app/engine_path.h"
#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/job_meeting.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/topology.h"
#include "stallscope/probe/triad.h"
#include "stallscope/stats/mean.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

constexpr int kTriadPasses = 5;
constexpr Seconds kJoinTimeout{30};
/// So many launches say how far the guess of their time is off.
constexpr std::size_t kRecentLaunches = 4;
/// Of a sweep's time; the rest is for visiting again. Rounds of other minutes also say more than further ones
/// of the same minute.
constexpr double kFirstVisitsShare = 0.75;
constexpr int kMostVisits = 3;

/// What one rank gets of it says how long copies take.
std::optional<double> MemoryRate() {
  try {
    Triad triad(TriadSizesFor(ReadTopology()), AllowedCpus());
    std::vector<double> rates;
    for (int pass = 0; pass < kTriadPasses; ++pass) rates.push_back(triad.AllCores());
    return MedianOf(rates);
  } catch (const Error&) {
    return std::nullopt;  // no room for the arrays
  }
}

std::optional<std::int64_t> CacheOfACore() {
  try {
    return PrivateCacheOf(ReadTopology());
  } catch (const Error&) {
    return std::nullopt;  // hwloc sees nothing here
  }
}

std::string NameOf(const SweepCell& cell) {
  return fmt::format("{}, {} {}, {} ranks", cell.network.spec,
                     cell.bucket == "tensor" || cell.bucket == "model" ? "an all-reduce per" : "buckets of",
                     cell.bucket, cell.ranks);
}

std::string StallText(const SweepLink& link, const CellResult& result) {
  const auto stall = StallOver(result.rounds, link.name);
  if (!stall) return link.name + ": too few rounds";
  return fmt::format("{}: step {}, stall {} ± {}", link.name, FormatSeconds(stall->step_s.mean),
                     FormatSeconds(stall->stall_s.mean), FormatSeconds(stall->stall_s.HalfWidth()));
}

}  // namespace

std::vector<SweepCell> StillToMeasure(const std::vector<SweepCell>& wanted, const Sweep& done,
                                      const CellOptions& options) {
  std::vector<SweepCell> left;
  for (SweepCell cell : wanted) {
    for (const SweptCell& swept : done.cells) {
      if (!swept.cell.SameLaunch(cell)) continue;
      std::erase_if(cell.links, [&](const SweepLink& link) {
        const auto stall = StallOver(swept.rounds, link.name);
        if (!stall) return false;
        if (options.again_above && stall->stall_s.HalfWidth() > *options.again_above * stall->step_s.mean)
          return false;
        const bool is_long = stall->step_s.mean > options.long_block_s;
        return stall->clean >= (is_long ? options.min_long_rounds : options.min_rounds);
      });
    }
    if (!cell.links.empty()) left.push_back(std::move(cell));
  }
  return left;
}

std::optional<double> FirstVisitSeconds(const LawSweepOptions& options) {
  return options.max_time ? std::optional(kFirstVisitsShare * options.max_time->count()) : std::nullopt;
}

LawSweepJob::LawSweepJob(const LawSweepOptions& options, std::filesystem::path folder,
                         std::optional<Sweep> earlier)
    : options_(options), folder_(std::move(folder)), engine_(FindEngine()), earlier_(std::move(earlier)) {
  const bool shaped = std::any_of(options.cells.begin(), options.cells.end(), [](const SweepCell& cell) {
    return std::any_of(cell.links.begin(), cell.links.end(),
                       [](const SweepLink& link) { return link.rate.has_value(); });
  });
  if (const auto reason = NetworkLabUnavailable()) {
    if (shaped) throw Error(*reason, "measure --links unshaped alone, which needs no emulated link");
    emulated_ = false;
    Say(options_.output, "note: no links can be emulated here; ranks meet over loopback");
  }
}

std::optional<int> LawSweepJob::SignalExitCode() {
  const auto signal = signals_.Read().first();
  return signal ? std::optional(128 + *signal) : std::nullopt;
}

std::function<bool()> LawSweepJob::Interrupted() {
  return [this] { return signals_.Read().first().has_value(); };
}

SweepJournal& LawSweepJob::Journal(const std::optional<std::string>& torch) {
  if (journal_) return *journal_;
  SweepOrigin origin;
  origin.tool = {.version = STALLSCOPE_VERSION, .torch = torch};
  origin.host = ReadHost(Root{});
  origin.created = UtcNow();
  if (!earlier_) origin.memory_bytes_per_s = MemoryRate();
  origin.private_cache_bytes = CacheOfACore();
  journal_.emplace(folder_, origin, earlier_.has_value());
  journal_->WriteWanted(options_.cells);
  return *journal_;
}

void LawSweepJob::PrepareLink(int ranks) {
  if (!emulated_ || (machines_ && machines_ranks_ == ranks)) return;
  machines_.reset();
  machines_.emplace(EmulateOption{.nodes = ranks, .bandwidth = std::nullopt, .disk = std::nullopt}, "",
                    watchdog_);
  machines_ranks_ = ranks;
}

std::optional<double> LawSweepJob::Launch(const SweepCell& cell, double max_time_s) {
  const double begin_s = MonotonicSeconds();
  PrepareLink(cell.ranks);
  LaunchPlan plan = emulated_ ? PlanEmulated(cell.ranks, 1)
                              : PlanLaunch({.nproc_per_node = cell.ranks}, std::nullopt, cell.ranks);
  const JobMeeting meeting(plan, kJoinTimeout, watchdog_, Interrupted());
  std::vector<RankStart> starts;
  for (EngineConfig& config : PlacedRanks(plan, meeting, "")) {
    config.training.model = cell.network.spec;
    config.training.batch = cell.network.batch;
    config.training.image_size = cell.network.image_size;
    config.training.sequence_length = cell.network.sequence_length;
    config.training.classes = cell.network.classes;
    config.training.bucket = cell.bucket;
    config.training.seed = options_.seed;
    starts.push_back(StartOfRank(config, plan, engine_, folder_ / "log"));
    if (machines_) machines_->Place(config.node, starts.back().child);
  }
  RankTeam team(starts, signals_, watchdog_);
  const WorkloadFacts facts = WorkloadFactsFromJson(WaitForRanks(team, meeting));
  SweepJournal& journal = Journal(facts.torch_version);

  CellOptions options = options_.cell;
  options.max_time_s = max_time_s - (MonotonicSeconds() - begin_s);
  options.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  options.emulated = emulated_;
  options.interrupted = Interrupted();
  if (earlier_) {
    for (const SweptCell& swept : earlier_->cells) {
      if (swept.cell.SameLaunch(cell)) options.earlier_rounds = static_cast<int>(swept.rounds.size());
    }
  }
  double last_s = begin_s;
  const CellResult result = MeasureCell(
      team, cell, options,
      [&](const SweepLink& link) {
        if (machines_) machines_->network().SetRate(link.rate);
      },
      [&](const SweepRound& round) {
        const double now_s = MonotonicSeconds();
        journal.Write(cell, round, now_s - last_s);
        last_s = now_s;
      });
  if (result.error) {
    team.Kill();
    journal.WriteFailure(cell, result.error->what());
    throw *result.error;
  }
  team.Stop(kExitOk);
  std::vector<std::string> lines;
  for (const SweepLink& link : cell.links) lines.push_back(StallText(link, result));
  Say(options_.output, fmt::format("  {} ({} rounds, {:.0f} s)", fmt::join(lines, "; "), result.rounds.size(),
                                   MonotonicSeconds() - begin_s));
  return MonotonicSeconds() - begin_s;
}

void LawSweepJob::Run() {
  const double begin_s = MonotonicSeconds();
  Visit(StillToMeasure(options_.cells, earlier_.value_or(Sweep{}), options_.cell),
        FirstVisitSeconds(options_));
  VisitAgain(MonotonicSeconds() - begin_s);
}

void LawSweepJob::VisitAgain(double first_visits_s) {
  const double begin_s = MonotonicSeconds();
  const double seconds = options_.max_time ? options_.max_time->count() - first_visits_s
                                           : first_visits_s * (1 / kFirstVisitsShare - 1);
  CellOptions wanted = options_.cell;
  wanted.again_above = options_.revisit_above;
  for (int visit = 2; visit <= kMostVisits && journal_ && !SignalExitCode(); ++visit) {
    earlier_ = ReadSweep(folder_);
    std::vector<SweepCell> measured;  // what was left out for want of time, or failed, is not visited
    for (const SweptCell& swept : earlier_->cells) measured.push_back(swept.cell);
    const std::vector<SweepCell> cells = StillToMeasure(measured, *earlier_, wanted);
    const double left = seconds - (MonotonicSeconds() - begin_s);
    if (PlanSweep(cells, options_.cell, speed_, left).cells.empty()) return;
    Say(options_.output,
        fmt::format("points known less well than to {:.3g} % of their step are visited again",
                    100 * options_.revisit_above));
    Visit(cells, left);
  }
}

void LawSweepJob::Visit(std::vector<SweepCell> left, std::optional<double> seconds) {
  const double begin_s = MonotonicSeconds();
  std::size_t all_points = 0;
  for (const SweepCell& cell : left) all_points += cell.links.size();
  bool is_first = true;
  while (!left.empty() && !SignalExitCode()) {
    std::optional<double> time_left;
    if (seconds) time_left = *seconds - (MonotonicSeconds() - begin_s);
    const SweepPlan plan = PlanSweep(left, options_.cell, speed_, time_left);
    if (is_first) {
      const std::string left_out =
          plan.dropped.empty() ? "" : fmt::format("; {} left out for want of time", plan.dropped.size());
      Say(options_.output, fmt::format("{} of {} points in {} launches, about {}{}", plan.points, all_points,
                                       plan.cells.size(), FormatDuration(Seconds(plan.seconds)), left_out));
    }
    is_first = false;
    if (plan.cells.empty()) break;
    const SweepCell& cell = plan.cells.front();
    Say(options_.output, fmt::format("[{}, {} more, about {} left] {}", launches_ + 1, plan.cells.size() - 1,
                                     FormatDuration(Seconds(plan.seconds)), NameOf(cell)));
    try {
      const auto took = Launch(cell, time_left.value_or(1e9));
      if (took)
        ratios_.push_back(std::max(0.1, *took - speed_.start_s) * speed_.factor /
                          std::max(0.1, plan.cell_seconds.front() - speed_.start_s));
      if (ratios_.size() > kRecentLaunches) ratios_.erase(ratios_.begin());
      if (!ratios_.empty()) speed_.factor = MedianOf(ratios_);
      failure_.reset();
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      if (SignalExitCode()) break;
      // Two in a row: it is not the network's fault.
      if (failure_) throw Error(e.what(), e.hint + "; finished points are in " + folder_.string());
      failure_ = e;
      Say(options_.output, fmt::format("warning: {} is left out: {}; {}", NameOf(cell), e.what(), e.hint));
    }
    ++launches_;
    std::erase_if(left, [&](const SweepCell& other) { return other.SameLaunch(cell); });
  }
}

}  // namespace stallscope
