#include "stallscope/recommend/candidate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stallscope/recommend/interruptions.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kBytesPerGb = 1e9;
/// Of a disk that the catalog says nothing about; the slowest that clouds attach to GPU machines are faster.
constexpr double kAssumedDisk = 100e6;
const double kInterval = NormalQuantile(0.975);

double CheckpointSeconds(const Machine& machine, const JobSize& job, const MoneyRules& money) {
  if (money.checkpoint_s) return *money.checkpoint_s;
  const auto disk = SustainedDisk(machine);
  return job.checkpoint_bytes / (disk ? disk->value : kAssumedDisk);
}

/// A 95 % interval with the scatter of interruptions added to that of the prediction.
Estimate Widened(const Estimate& work, double stretch, double log_spread) {
  const auto wider = [&](double ratio) {
    return std::exp(std::hypot(std::log(ratio), kInterval * log_spread));
  };
  const double mean = work.mean * stretch;
  return {mean, mean / wider(work.mean / work.low), mean * wider(work.high / work.mean)};
}

/// What the machine's own disks cannot hold is kept on rented ones, for every machine.
double StorageUsdHour(const Machine& machine, int nodes, const JobSize& job, const MoneyRules& money) {
  if (machine.local_disk && machine.local_disk->value >= job.dataset_bytes) return 0;
  return nodes * job.dataset_bytes / kBytesPerGb * money.storage_usd_gb_month / kHoursPerMonth;
}

/// The cheapest of each market; offers come cheapest first.
std::vector<const Offer*> CheapestOf(const std::vector<Offer>& offers) {
  std::vector<const Offer*> cheapest;
  for (const Market market : {Market::kOnDemand, Market::kSpot}) {
    const auto first = std::find_if(offers.begin(), offers.end(),
                                    [&](const Offer& offer) { return offer.market == market; });
    if (first != offers.end()) cheapest.push_back(&*first);
  }
  return cheapest;
}

std::vector<std::uint32_t> RanksByName(const std::vector<Machine>& machines) {
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return FullName(machines[a]) < FullName(machines[b]); });
  std::vector<std::uint32_t> ranks(machines.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
  return ranks;
}

}  // namespace

const char* BasisName(StepBasis basis) {
  switch (basis) {
    case StepBasis::kMeasured:
      return "measured";
    case StepBasis::kPublished:
      return "published";
    case StepBasis::kCalibrated:
      return "calibrated";
    case StepBasis::kPredicted:
      return "predicted";
  }
  return "";
}

double JobSize::Steps(double global_batch) const {
  return steps ? *steps : epochs * std::ceil(samples / global_batch);
}

BillingRule MoneyRules::BillingFor(const std::string& provider) const {
  for (const std::string& who : {provider, std::string("*")}) {
    for (const auto& [name, rule] : billing) {
      if (name == who) return rule;
    }
  }
  return {};
}

Candidate MakeCandidate(const Configuration& configuration, const Offer& offer, const Machine& machine,
                        const JobSize& job, const MoneyRules& money, std::optional<SpotFacts>* spot) {
  const double hours_per_step_s =
      job.Steps(static_cast<double>(configuration.batch) * configuration.devices) / kSecondsPerHour;
  Candidate candidate;
  candidate.machine = static_cast<std::uint32_t>(configuration.machine);
  candidate.time = {
      money.setup_h,
      {configuration.step_s.mean * hours_per_step_s, configuration.step_s.low * hours_per_step_s,
       configuration.step_s.high * hours_per_step_s}};
  if (offer.market == Market::kSpot) {
    const double checkpoint_s = CheckpointSeconds(machine, job, money);
    const CheckpointPlan plan =
        PlanCheckpoints({.work_h = candidate.time.work_h.mean,
                         .interruptions_h = money.interruptions_machine_hour * configuration.nodes,
                         .checkpoint_h = checkpoint_s / kSecondsPerHour,
                         .restart_h = money.setup_h});
    candidate.time.work_h = Widened(candidate.time.work_h, plan.stretch, plan.log_spread);
    if (spot != nullptr) {
      *spot = SpotFacts{plan.interruptions, plan.every_h * kSecondsPerHour, checkpoint_s, plan.stretch};
    }
  }
  candidate.charge = {configuration.nodes, offer.usd_hour, money.BillingFor(machine.provider),
                      StorageUsdHour(machine, configuration.nodes, job, money)};
  candidate.hours = candidate.time.setup_h + candidate.time.work_h.mean;
  candidate.usd = candidate.charge.Usd(candidate.hours);
  return candidate;
}

CandidateSet MakeCandidates(const std::vector<Configuration>& configurations,
                            const std::vector<std::vector<Offer>>& offers,
                            const std::vector<Machine>& machines, const JobSize& job,
                            const MoneyRules& money) {
  CandidateSet set;
  std::vector<std::vector<std::uint32_t>> chosen(machines.size());  // of set.offers
  for (std::size_t i = 0; i < machines.size(); ++i) {
    for (const Offer* offer : CheapestOf(offers[i])) {
      chosen[i].push_back(static_cast<std::uint32_t>(set.offers.size()));
      set.offers.push_back(*offer);
    }
  }
  const std::vector<std::uint32_t> ranks = RanksByName(machines);
  std::vector<bool> unpriced(machines.size());
  set.candidates.reserve(2 * configurations.size());
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const Configuration& configuration = configurations[i];
    set.considered += offers[configuration.machine].size();
    unpriced[configuration.machine] = chosen[configuration.machine].empty();
    for (const std::uint32_t offer : chosen[configuration.machine]) {
      Candidate candidate = MakeCandidate(configuration, set.offers[offer], machines[configuration.machine],
                                          job, money, nullptr);
      // Prediction and price may leave a double's range; what never ends is no candidate.
      if (!std::isfinite(candidate.usd) || !std::isfinite(candidate.time.work_h.high)) continue;
      candidate.configuration = static_cast<std::uint32_t>(i);
      candidate.offer = offer;
      candidate.rank = ranks[configuration.machine];
      set.candidates.push_back(candidate);
    }
  }
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (unpriced[i]) set.unpriced.push_back(i);
  }
  return set;
}

}  // namespace stallscope
