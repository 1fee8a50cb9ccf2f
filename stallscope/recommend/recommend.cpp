#include "stallscope/recommend/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/predict/predictor.h"
#include "stallscope/recommend/next_measurement.h"
#include "stallscope/recommend/rejections.h"

namespace stallscope {
namespace {

constexpr std::size_t kClosest = 3;
constexpr double kMinutesPerHour = 60;

class Recommender {
 public:
  Recommender(const RecommendRequest& request, const Catalog& catalog, const ComputeModel& compute,
              const ScalingParameters& scaling)
      : request_(request), catalog_(catalog), compute_(compute), scaling_(scaling) {}

  Recommendation Run() {
    forecast_ = ForecastAll(request_.plan, WithRuns(request_.range), catalog_, compute_, scaling_);
    Calibrate(request_.runs, forecast_.configurations, forecast_.origins);
    std::erase_if(forecast_.configurations, [&](const Configuration& c) { return !IsAsked(c); });
    DropSolvedProblems();
    forecast_.problems.insert(forecast_.problems.end(), request_.left_out.begin(), request_.left_out.end());
    set_ =
        MakeCandidates(forecast_.configurations, Offers(), catalog_.machines(), request_.job, request_.money);
    by_cost_ = OrderByCost(set_, forecast_.configurations);
    choice_ = Choose(set_, by_cost_, request_.question);
    Fill();
    return std::move(result_);
  }

 private:
  /// Runs with other batches are predicted as well, so that they can correct the batches that were asked for.
  ForecastRange WithRuns(ForecastRange range) const {
    for (const KnownRun& run : request_.runs) {
      const auto found = std::find(range.batches.begin(), range.batches.end(), run.batch);
      if (!range.global_batch && found == range.batches.end())
        range.batches.insert(range.batches.begin(), run.batch);
    }
    return range;
  }

  bool IsAsked(const Configuration& c) const {
    const ForecastRange& range = request_.range;
    const std::int64_t samples = static_cast<std::int64_t>(c.batch) * c.devices;
    if (c.nodes > range.max_nodes) return false;
    if (range.most_global_batch && samples > *range.most_global_batch) return false;
    if (range.global_batch) return samples == *range.global_batch;
    return std::find(range.batches.begin(), range.batches.end(), c.batch) != range.batches.end();
  }

  /// A machine that was measured has configurations whether or not it could be predicted.
  void DropSolvedProblems() {
    std::set<std::size_t> have;
    for (const KnownRun& run : request_.runs) have.insert(run.machine);
    std::erase_if(forecast_.problems, [&](const MachineProblem& p) { return have.contains(p.machine); });
  }

  std::vector<std::vector<Offer>> Offers() const {
    std::vector<std::vector<Offer>> offers(catalog_.machines().size());
    std::set<std::size_t> used(request_.range.machines.begin(), request_.range.machines.end());
    for (const KnownRun& run : request_.runs) used.insert(run.machine);
    for (const std::size_t machine : used) {
      offers[machine] =
          OffersOf(catalog_.machines()[machine], catalog_, request_.prices, request_.filter, request_.today);
    }
    return offers;
  }

  void Fill() {
    const Question& question = request_.question;
    result_.considered = set_.considered;
    result_.question.deadline_h = question.deadline_h;
    result_.question.budget_usd = question.budget_usd;
    result_.question.confidence = question.confidence;
    result_.question.objective = question.WantsFastest() ? "time" : "cost";
    result_.question.confidence_steps = ConfidenceSteps();
    result_.question.max_nodes = request_.range.max_nodes;
    result_.question.spot = request_.filter.spot;

    std::vector<double> confidences = ConfidenceSteps();
    confidences.push_back(question.confidence);
    const Selection ever = EverChosen(set_, by_cost_, confidences);
    const Selection front = ParetoFront(set_, by_cost_);
    const Selection top = BestOfEach(set_, by_cost_, question, request_.top);
    const Outcome outcome{catalog_, forecast_, set_, by_cost_, question, choice_, request_.filter.region};
    const std::vector<Near> near = choice_ ? std::vector<Near>{} : NearestCandidates(outcome, kClosest);
    std::set<std::uint32_t> kept(ever.begin(), ever.end());
    kept.insert(front.begin(), front.end());
    kept.insert(top.begin(), top.end());
    for (const Near& closest : near) kept.insert(closest.candidate);
    std::map<std::uint32_t, std::size_t> place;  // in the document
    for (const std::uint32_t i : by_cost_) {
      if (!kept.contains(i)) continue;
      place[i] = result_.candidates.size();
      result_.candidates.push_back(Described(i));
    }
    for (const std::uint32_t i : front) result_.pareto.push_back(place[i]);
    for (const std::uint32_t i : top) result_.top.push_back(place[i]);
    if (choice_) result_.choice = place[*choice_];
    for (const Near& closest : near) {
      result_.closest.push_back({place[closest.candidate], closest.missing, closest.would_fit});
    }
    result_.rejected = RejectedMachines(
        outcome, [&](std::size_t machine, const Configuration& c) { return HoursWithCeiling(machine, c); });
    result_.next_measurement = Next();
    AddNotes();
  }

  RecommendedCandidate Described(std::uint32_t index) const {
    const Candidate& candidate = set_.candidates[index];
    const Configuration& configuration = forecast_.configurations[candidate.configuration];
    const Offer& offer = set_.offers[candidate.offer];
    const Machine& machine = catalog_.machines()[candidate.machine];
    std::optional<SpotFacts> spot;
    MakeCandidate(configuration, offer, machine, request_.job, request_.money, &spot);
    RecommendedCandidate d;
    d.instance = machine.name;
    d.provider = machine.provider;
    d.region = offer.region;
    d.market = MarketName(offer.market);
    d.gpu = machine.gpu;
    d.gpus_per_node = machine.gpus;
    d.nodes = configuration.nodes;
    d.devices = configuration.devices;
    d.batch_per_device = configuration.batch;
    d.step_time_s = configuration.step_s;
    const double samples = static_cast<double>(configuration.batch) * configuration.devices;
    d.samples_per_s = {samples / configuration.step_s.mean, samples / configuration.step_s.high,
                       samples / configuration.step_s.low};
    d.compute_s = configuration.parts.compute_s;
    d.interconnect_s = configuration.parts.interconnect_s;
    d.network_s = configuration.parts.network_s;
    d.prep_s = configuration.parts.prep_s;
    d.fetch_s = configuration.parts.fetch_s;
    d.setup_h = candidate.time.setup_h;
    d.work_h = candidate.time.work_h;
    d.hours = TotalHours(candidate.time);
    d.usd_hour = candidate.charge.usd_hour;
    d.granularity_s = candidate.charge.billing.granularity_s;
    d.minimum_s = candidate.charge.billing.minimum_s;
    d.storage_usd_hour = candidate.charge.storage_usd_hour;
    d.cost_usd = {candidate.usd, candidate.charge.Usd(d.hours.low), candidate.charge.Usd(d.hours.high)};
    d.pays_for = fmt::format("{}, {} x {} machine{}", request_.training, HoursText(d.hours.mean), d.nodes,
                             d.nodes == 1 ? "" : "s");
    const Question& question = request_.question;
    if (question.deadline_h) d.probability_in_time = ProbabilityWithin(candidate.time, *question.deadline_h);
    if (question.budget_usd) {
      d.probability_in_budget =
          ProbabilityWithin(candidate.time, candidate.charge.HoursFor(*question.budget_usd));
    }
    d.basis = BasisName(configuration.basis);
    d.from = forecast_.origins[configuration.origin];
    if (!offer.date.empty()) d.price_date = offer.date;
    d.price_stale = offer.stale;
    d.price_from = offer.from;
    if (spot) {
      d.spot = RecommendedSpot{spot->interruptions, spot->checkpoint_every_s, spot->checkpoint_s,
                               request_.money.setup_h, spot->stretch};
    }
    return d;
  }

  /// The same machines with a network whose credit does not run out.
  std::optional<double> HoursWithCeiling(std::size_t index, const Configuration& configuration) const {
    Machine machine = catalog_.machines()[index];
    if (machine.burst != NetworkBurst::kCredit || !machine.network_ceiling || configuration.nodes == 1)
      return std::nullopt;
    machine.burst = NetworkBurst::kNone;
    TrainingPlan plan = request_.plan;
    plan.batch = configuration.batch;
    try {
      const Predictor predictor(plan, catalog_, compute_, scaling_);
      Configuration unlimited = configuration;
      unlimited.step_s = predictor.Predict(predictor.Prepare(machine), configuration.nodes).step_s;
      const Candidate candidate =
          MakeCandidate(unlimited, Offer{}, machine, request_.job, request_.money, nullptr);
      return candidate.HoursAt(IntervalsOf(request_.question.confidence));
    } catch (const Error&) {
      return std::nullopt;  // it was measured, not predicted
    }
  }

  std::optional<NextMeasurement> Next() const {
    std::vector<bool> known(catalog_.machines().size());
    for (const KnownRun& run : request_.runs) {
      if (run.basis == StepBasis::kMeasured) known[run.machine] = true;
    }
    const auto offer = NextMeasurementOf(set_, forecast_.configurations, by_cost_, request_.question, known);
    if (!offer) return std::nullopt;
    const Machine& machine = catalog_.machines()[offer->machine];
    const Candidate& hoped = set_.candidates[offer->candidate];
    const Configuration& configuration = forecast_.configurations[hoped.configuration];
    NextMeasurement next;
    next.instance = machine.name;
    next.provider = machine.provider;
    next.nodes = offer->nodes;
    next.minutes = offer->hours * kMinutesPerHour;
    next.cost_usd = offer->usd;
    next.worth_usd = offer->worth_usd;
    const double off = 100 * (hoped.time.work_h.high / hoped.time.work_h.mean - 1);
    if (!choice_) {
      next.why = fmt::format("nothing fits as predicted; {} may: its time is uncertain by {:.0f} %",
                             machine.name, off);
    } else if (offer->confirms) {
      next.why = fmt::format(
          "the choice itself is uncertain by {:.0f} %: knowing it saves {} on average, by fewer machines or "
          "others",
          off, UsdText(offer->worth_usd));
    } else {
      next.why = fmt::format(
          "{} may turn out cheaper than the choice, its time being uncertain by {:.0f} %: knowing it saves "
          "{} on "
          "average",
          machine.name, off, UsdText(offer->worth_usd));
    }
    const int gpus = configuration.devices / configuration.nodes;
    next.command = fmt::format("stallscope run --nproc-per-node {}", gpus);
    if (offer->nodes > 1) {
      next.command +=
          fmt::format(" --nnodes {} --node-rank $RANK --master-addr $HEAD --master-port 29500", offer->nodes);
    }
    next.command += " --max-time 5m -- train.py";
    return next;
  }

  void AddNotes() {
    std::set<std::string> stale;
    for (const std::size_t i : result_.top) {
      const RecommendedCandidate& c = result_.candidates[i];
      if (c.price_stale) stale.insert(fmt::format("{} ({})", c.instance, c.price_date.value_or("")));
    }
    if (!stale.empty()) {
      result_.notes.push_back(
          fmt::format("prices older than {} days, which may have changed: {}; `catalog import` brings new "
                      "ones, --price yours",
                      kStaleAfterDays, fmt::join(stale, ", ")));
    }
    if (choice_ && result_.candidates[*result_.choice].nodes == request_.range.max_nodes &&
        request_.range.max_nodes > 1) {
      result_.notes.push_back("the choice has as many machines as --max-nodes allows; more may do better");
    }
  }

  const RecommendRequest& request_;
  const Catalog& catalog_;
  const ComputeModel& compute_;
  const ScalingParameters& scaling_;
  Forecast forecast_;
  CandidateSet set_;
  Selection by_cost_;
  std::optional<std::uint32_t> choice_;
  Recommendation result_;
};

}  // namespace

const std::vector<double>& ConfidenceSteps() {
  static const std::vector<double> steps = {0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99};
  return steps;
}

Recommendation Recommend(const RecommendRequest& request, const Catalog& catalog, const ComputeModel& compute,
                         const ScalingParameters& scaling) {
  return Recommender(request, catalog, compute, scaling).Run();
}

}  // namespace stallscope
