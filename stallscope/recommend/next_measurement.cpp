#include "stallscope/recommend/next_measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "stallscope/recommend/calibrate.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// What a measurement may tell, as equally probable deviations.
constexpr int kOutcomes = 15;

std::array<double, kOutcomes> Outcomes() {
  std::array<double, kOutcomes> outcomes{};
  for (int i = 0; i < kOutcomes; ++i) {
    outcomes[static_cast<std::size_t>(i)] = NormalQuantile((i + 0.5) / kOutcomes);
  }
  return outcomes;
}

class Valuation {
 public:
  Valuation(const CandidateSet& set, const std::vector<Configuration>& configurations,
            const Selection& by_cost, const Question& question)
      : set_(set),
        configurations_(configurations),
        question_(question),
        intervals_(IntervalsOf(question.confidence)),
        choice_(Choose(set, by_cost, question)) {
    for (const std::uint32_t i : by_cost) by_machine_[set.candidates[i].machine].push_back(i);
    if (choice_) BestElsewhere(by_cost);
  }

  std::optional<MeasurementOffer> Best(const std::vector<bool>& known) const {
    std::optional<MeasurementOffer> best;
    for (const auto& [machine, candidates] : by_machine_) {
      if (known[machine]) continue;
      const std::optional<MeasurementOffer> offer = Value(machine, candidates);
      if (offer && (!best || offer->worth_usd - offer->usd > best->worth_usd - best->usd)) best = offer;
    }
    // A cent is no reason to rent a machine.
    if (best && choice_ && best->worth_usd <= best->usd) return std::nullopt;
    return best;
  }

 private:
  /// The cheapest plan without the choice's machine: what is left when a measurement rules that out.
  void BestElsewhere(const Selection& by_cost) {
    for (const std::uint32_t i : by_cost) {
      const Candidate& candidate = set_.candidates[i];
      if (candidate.machine == set_.candidates[*choice_].machine) continue;
      if (!Fits(candidate, question_, intervals_)) continue;
      elsewhere_usd_ = candidate.usd;
      return;
    }
  }

  /// The candidate as it would be known after its machine deviated by z.
  Candidate After(const Candidate& candidate, int measured_nodes, int measured_batch, double z) const {
    const Configuration& configuration = configurations_[candidate.configuration];
    const double correlation =
        Correlation(configuration.nodes, configuration.batch, measured_nodes, measured_batch);
    const double spread = LogSpread(candidate.time.work_h);
    Candidate after = candidate;
    after.time.work_h = LogNormal(candidate.time.work_h.mean * std::exp(correlation * spread * z),
                                  spread * std::sqrt(1 - correlation * correlation));
    after.hours = after.time.setup_h + after.time.work_h.mean;
    after.usd = after.charge.Usd(after.hours);
    return after;
  }

  std::optional<MeasurementOffer> Value(std::uint32_t machine, const Selection& candidates) const {
    static const std::array<double, kOutcomes> outcomes = Outcomes();
    // The candidate that this machine would be taken for: the cheapest that fits if all goes well for it.
    const auto hope = std::find_if(candidates.begin(), candidates.end(), [&](std::uint32_t i) {
      return Fits(After(set_.candidates[i], NodesOf(i), BatchOf(i), outcomes.front()), question_, intervals_);
    });
    if (hope == candidates.end()) return std::nullopt;
    const int nodes = std::min(NodesOf(*hope), kMostMeasuredNodes);
    MeasurementOffer offer{.machine = machine, .candidate = *hope, .nodes = nodes};
    Charge charge = set_.candidates[*hope].charge;
    charge.machines = nodes;
    charge.storage_usd_hour = 0;
    offer.hours = set_.candidates[*hope].time.setup_h + kMeasuringHours;
    offer.usd = charge.Usd(offer.hours);
    offer.confirms = choice_ && set_.candidates[*choice_].machine == machine;
    if (!choice_) {
      offer.worth_usd = 0;
      // Nothing fits today: the more outcomes show something that does, the better.
      for (const double z : outcomes) {
        if (CheapestAfter(candidates, nodes, BatchOf(*hope), z)) offer.worth_usd += offer.usd / kOutcomes;
      }
      return offer.worth_usd > 0 ? std::optional(offer) : std::nullopt;
    }
    // Where even the best outcome is dearer than today's plan, nothing that it may tell changes that.
    const auto best = CheapestAfter(candidates, nodes, BatchOf(*hope), outcomes.front());
    if (!offer.confirms && (!best || *best >= set_.candidates[*choice_].usd)) return std::nullopt;
    for (const double z : outcomes) offer.worth_usd += Saving(offer, candidates, nodes, BatchOf(*hope), z);
    offer.worth_usd /= kOutcomes;
    return offer;
  }

  /// What today's plan would cost in this outcome, less the best that is known to fit in it.
  double Saving(const MeasurementOffer& offer, const Selection& candidates, int nodes, int batch,
                double z) const {
    const Candidate& today = set_.candidates[*choice_];
    const std::optional<double> found = CheapestAfter(candidates, nodes, batch, z);
    if (!offer.confirms) return found ? std::max(0.0, today.usd - *found) : 0;
    const Candidate after = After(today, nodes, batch, z);
    double best = Fits(after, question_, intervals_) ? after.usd : INFINITY;
    if (found) best = std::min(best, *found);
    if (elsewhere_usd_) best = std::min(best, *elsewhere_usd_);
    return std::isfinite(best) ? std::max(0.0, after.usd - best) : 0;
  }

  std::optional<double> CheapestAfter(const Selection& candidates, int nodes, int batch, double z) const {
    std::optional<double> least;
    for (const std::uint32_t i : candidates) {
      const Candidate after = After(set_.candidates[i], nodes, batch, z);
      if (least && after.usd >= *least) continue;
      if (Fits(after, question_, intervals_)) least = after.usd;
    }
    return least;
  }

  int NodesOf(std::uint32_t i) const { return configurations_[set_.candidates[i].configuration].nodes; }
  int BatchOf(std::uint32_t i) const { return configurations_[set_.candidates[i].configuration].batch; }

  const CandidateSet& set_;
  const std::vector<Configuration>& configurations_;
  const Question& question_;
  double intervals_;
  std::optional<std::uint32_t> choice_;
  std::optional<double> elsewhere_usd_;
  std::map<std::uint32_t, Selection> by_machine_;
};

}  // namespace

std::optional<MeasurementOffer> NextMeasurementOf(const CandidateSet& set,
                                                  const std::vector<Configuration>& configurations,
                                                  const Selection& by_cost, const Question& question,
                                                  const std::vector<bool>& known) {
  return Valuation(set, configurations, by_cost, question).Best(known);
}

}  // namespace stallscope
