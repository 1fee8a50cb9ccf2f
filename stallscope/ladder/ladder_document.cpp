#include "stallscope/ladder/ladder_document.h"

#include <algorithm>

#include "stallscope/ladder/breakdown.h"
#include "stallscope/ladder/condition_means.h"
#include "stallscope/ladder/epochs.h"
#include "stallscope/ladder/findings.h"
#include "stallscope/ladder/optimal_loading.h"
#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

/// One number of every used round's block of a condition.
template <typename Get>
double MeanOverRounds(const UsedRounds& used, Condition condition, Get get) {
  std::vector<double> values;
  for (const MeasuredRound* round : used.rounds) values.push_back(get(round->blocks.at(condition)));
  return MeanOf(values);
}

StepParts PartsOf(const UsedRounds& used, Condition condition) {
  const auto mean = [&](double StepParts::*part) {
    return MeanOverRounds(used, condition, [&](const BlockSummary& block) { return block.parts.*part; });
  };
  return {.data_wait_s = mean(&StepParts::data_wait_s),
          .copy_s = mean(&StepParts::copy_s),
          .forward_s = mean(&StepParts::forward_s),
          .backward_s = mean(&StepParts::backward_s),
          .exposed_communication_s = mean(&StepParts::exposed_communication_s),
          .optimizer_s = mean(&StepParts::optimizer_s)};
}

std::optional<CommunicationInfo> CommunicationOf(const UsedRounds& used, Condition condition) {
  std::vector<double> transfer, skew, overlap;
  for (const MeasuredRound* round : used.rounds) {
    const auto& communication = round->blocks.at(condition).communication;
    if (!communication) continue;
    transfer.push_back(communication->transfer_s);
    skew.push_back(communication->skew_s);
    overlap.push_back(communication->overlap_share);
  }
  if (transfer.empty()) return std::nullopt;
  return CommunicationInfo{MeanOf(transfer), MeanOf(skew), MeanOf(overlap)};
}

/// The weakest state among the rounds: one that the server may have helped is enough to say so.
std::optional<std::string> CacheOf(const UsedRounds& used, Condition condition) {
  std::optional<std::string> state;
  for (const MeasuredRound* round : used.rounds) {
    const std::optional<std::string>& cache = round->blocks.at(condition).cache;
    if (cache && (!state || *cache == "client-cold")) state = cache;
  }
  return state;
}

ConditionInfo ConditionOf(const UsedRounds& used, Condition condition, const Estimate& step_time) {
  ConditionInfo info;
  info.step_time_s = step_time;
  info.rounds = static_cast<int>(used.rounds.size());
  for (const MeasuredRound* round : used.rounds) info.steps += round->blocks.at(condition).steps;
  info.parts = PartsOf(used, condition);
  info.communication = CommunicationOf(used, condition);
  info.cache = CacheOf(used, condition);
  std::vector<const BlockSummary*> blocks;
  for (const MeasuredRound* round : used.rounds) blocks.push_back(&round->blocks.at(condition));
  info.buckets = BucketsOverRounds(blocks);
  info.resources = ResourcesOverRounds(blocks);
  return info;
}

/// Host-to-device time of the warm rung; the rungs below it copy nothing.
std::optional<Stall> CopyOf(const UsedRounds& used, const std::vector<RoundTimes>& times,
                            const Breakdown& breakdown, std::uint64_t seed) {
  if (!breakdown.stalls.prep) return std::nullopt;
  std::vector<double> copies, steps;
  for (std::size_t i = 0; i < times.size(); ++i) {
    copies.push_back(used.rounds[i]->blocks.at(Condition::kWarm).parts.copy_s);
    steps.push_back(times[i].at(breakdown.highest));
  }
  const Bootstrap bootstrap(times.size(), seed);
  const Estimate seconds = bootstrap.Mean(copies);
  return Stall{
      .seconds = seconds, .share = bootstrap.Ratio(copies, steps), .distinguishable = !seconds.HoldsZero()};
}

/// The mean of what at least two used rounds have.
std::optional<Estimate> LimitOf(const UsedRounds& used, std::optional<double> MeasuredRound::*limit,
                                std::uint64_t seed) {
  std::vector<double> values;
  for (const MeasuredRound* round : used.rounds) {
    if (round->*limit) values.push_back(*(round->*limit));
  }
  if (values.size() < 2) return std::nullopt;
  return Bootstrap(values.size(), seed).Mean(values);
}

std::optional<LoaderInfo> LoaderOf(const UsedRounds& used) {
  std::vector<double> read, decode, bytes;
  for (const MeasuredRound* round : used.rounds) {
    if (!round->loader) continue;
    read.push_back(round->loader->read_s);
    decode.push_back(round->loader->decode_s);
    bytes.push_back(round->loader->bytes);
  }
  if (read.empty()) return std::nullopt;
  return LoaderInfo{MeanOf(read), MeanOf(decode), MeanOf(bytes)};
}

/// Everything that only real data brings.
void FillLoading(const ProfileOrigin& origin, const UsedRounds& used, const std::vector<RoundTimes>& times,
                 const Breakdown& breakdown, Profile& profile) {
  if (!times.front().contains(Condition::kWarm)) return;
  const std::uint64_t seed = profile.seed;
  profile.stalls.copy = CopyOf(used, times, breakdown, seed);
  if (times.front().contains(Condition::kCold)) profile.first_epoch = FirstEpoch{breakdown.step_time};
  if (origin.room_bytes && origin.workload.dataset) {
    const double share = CachedShare(origin.workload.dataset->bytes, *origin.room_bytes);
    profile.steady_state = SteadyStateOf(times, share, seed);
    if (profile.steady_state) {
      profile.steady_state->room_bytes = origin.room_bytes;
      profile.steady_state->stalls.copy = CopyOf(used, SteadyTimes(times, share), breakdown, seed);
    }
  }
  profile.loader_limit_s = LimitOf(used, &MeasuredRound::loader_limit_s, seed);
  profile.fetch_limit_s = LimitOf(used, &MeasuredRound::fetch_limit_s, seed);
  profile.loader = LoaderOf(used);
}

/// Samples of one step over the highest rung's step time.
Estimate Throughput(const Profile& profile, const std::vector<RoundTimes>& times, Condition highest,
                    const Layout& layout, std::uint64_t seed) {
  const double samples =
      static_cast<double>(profile.workload.batch_per_device * profile.workload.accumulate) *
      DevicesOf(highest, layout);
  std::vector<double> step_times;
  step_times.reserve(times.size());
  for (const RoundTimes& round : times) step_times.push_back(round.at(highest));
  return Bootstrap(times.size(), seed).Ratio(std::vector<double>(times.size(), samples), step_times);
}

}  // namespace

Profile MakeProfile(const ProfileOrigin& origin, const MeasureOptions& options, const Rungs& rungs,
                    const MeasureResult& measured) {
  const UsedRounds used = RoundsToUse(measured.rounds);
  if (used.rounds.size() < 2 && measured.error) throw *measured.error;
  const std::vector<RoundTimes> times = TimesOf(used);
  const Breakdown breakdown = BreakDown(times, options.seed);

  Profile profile;
  profile.tool = origin.tool;
  profile.created = origin.created;
  profile.argv = origin.argv;
  profile.host = origin.host;
  profile.seed = options.seed;
  profile.workload = origin.workload;
  profile.cluster = {.nodes = options.layout.nodes,
                     .devices_per_node = options.layout.devices_per_node,
                     .device = origin.device,
                     .backend = origin.backend,
                     .emulated = options.layout.emulated,
                     .emulated_bandwidth_bytes_per_s = origin.emulated_bandwidth_bytes_per_s,
                     .emulated_disk_bytes_per_s = origin.emulated_disk_bytes_per_s};
  for (const auto& [condition, step_time] : breakdown.step_times) {
    profile.conditions[ConditionName(condition)] = ConditionOf(used, condition, step_time);
  }
  profile.absent = rungs.absent;
  profile.absent.insert(profile.absent.end(), measured.given_up.begin(), measured.given_up.end());
  std::stable_sort(profile.absent.begin(), profile.absent.end(),
                   [](const AbsentCondition& a, const AbsentCondition& b) {
                     return ParseCondition(a.condition) < ParseCondition(b.condition);
                   });
  profile.stalls = breakdown.stalls;
  profile.step_time_s = breakdown.step_time;
  profile.samples_per_s = Throughput(profile, times, breakdown.highest, options.layout, options.seed);
  FillLoading(origin, used, times, breakdown, profile);
  profile.stopped_by = measured.stopped_by;
  if (measured.error) profile.failure = measured.error->what();
  profile.rounds_kept = static_cast<int>(used.rounds.size());
  profile.rounds_dropped = used.dropped;
  profile.rounds_unverified = measured.unverified_rounds;
  profile.warm_up_steps = measured.warm_up_steps;
  profile.optimal = OptimalLoadingFor(profile);
  profile.findings = FindingsFor(profile, {.tolerance = options.tolerance,
                                           .never_idle = used.never_idle,
                                           .overdue = measured.overdue,
                                           .cores_per_machine = origin.host.cores,
                                           .devices_per_host = options.layout.DevicesPerHost()});
  return profile;
}

}  // namespace stallscope
