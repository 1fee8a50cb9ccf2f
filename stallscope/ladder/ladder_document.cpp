#include "stallscope/ladder/ladder_document.h"

#include "stallscope/ladder/breakdown.h"
#include "stallscope/ladder/condition_means.h"
#include "stallscope/ladder/findings.h"
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

ConditionInfo ConditionOf(const UsedRounds& used, Condition condition, const Estimate& step_time) {
  ConditionInfo info;
  info.step_time_s = step_time;
  info.rounds = static_cast<int>(used.rounds.size());
  for (const MeasuredRound* round : used.rounds) info.steps += round->blocks.at(condition).steps;
  info.parts = PartsOf(used, condition);
  info.communication = CommunicationOf(used, condition);
  std::vector<const BlockSummary*> blocks;
  for (const MeasuredRound* round : used.rounds) blocks.push_back(&round->blocks.at(condition));
  info.buckets = BucketsOverRounds(blocks);
  info.resources = ResourcesOverRounds(blocks);
  return info;
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
                     .emulated = options.layout.emulated};
  for (const auto& [condition, step_time] : breakdown.step_times) {
    profile.conditions[ConditionName(condition)] = ConditionOf(used, condition, step_time);
  }
  profile.absent = rungs.absent;
  for (const Condition condition : rungs.present) {
    if (breakdown.step_times.contains(condition)) continue;
    profile.absent.push_back({.condition = ConditionName(condition), .reason = "left out by --conditions"});
  }
  profile.stalls = breakdown.stalls;
  profile.step_time_s = breakdown.step_time;
  profile.samples_per_s = Throughput(profile, times, breakdown.highest, options.layout, options.seed);
  profile.stopped_by = measured.stopped_by;
  if (measured.error) profile.failure = measured.error->what();
  profile.rounds_kept = static_cast<int>(used.rounds.size());
  profile.rounds_dropped = used.dropped;
  profile.warm_up_steps = measured.warm_up_steps;
  profile.findings = FindingsFor(profile, {.tolerance = options.tolerance,
                                           .never_idle = used.never_idle,
                                           .cores_per_machine = origin.host.cores,
                                           .devices_per_host = options.layout.DevicesPerHost()});
  return profile;
}

}  // namespace stallscope
