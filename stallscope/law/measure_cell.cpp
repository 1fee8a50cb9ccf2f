#include "stallscope/law/measure_cell.h"

#include <algorithm>
#include <cmath>

#include "stallscope/ladder/block_summary.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/ladder/foreign_load.h"
#include "stallscope/stats/bootstrap.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// Memory is allocated and kernels are chosen in the first steps.
constexpr int kCrowdWarmUp = 3;
/// The reducer rebuilds its buckets in its first two steps; the third has them.
constexpr int kSyncWarmUp = 3;
/// A block that others disturbed is run again once.
constexpr int kAttempts = 2;
constexpr std::uint64_t kBootstrapSeed = 1;

struct Interrupted {};
struct OutOfTime {};

double MeanOverRanks(const BlockResult& block, int step) {
  std::vector<double> ranks;
  for (const RankBlock& rank : block.ranks) {
    if (!rank.steps.empty()) ranks.push_back(rank.steps[static_cast<std::size_t>(step)].total_s);
  }
  return MeanOf(ranks);
}

double SlowestRank(const BlockResult& block, int settling, int steps) {
  std::vector<double> slowest;
  for (int step = settling; step < steps; ++step) {
    double longest = 0;
    for (const RankBlock& rank : block.ranks) {
      if (!rank.steps.empty())
        longest = std::max(longest, rank.steps[static_cast<std::size_t>(step)].total_s);
    }
    slowest.push_back(longest);
  }
  return MeanOf(slowest);
}

/// Lost packets and other processes make single steps much longer, never shorter: the middle one counts.
double UsualStep(const SweepBlock& block) {
  const auto counted =
      block.steps_s.begin() + std::min<std::ptrdiff_t>(block.settling, std::ssize(block.steps_s));
  return counted == block.steps_s.end() ? block.step_s
                                        : MedianOf(std::vector<double>(counted, block.steps_s.end()));
}

class CellMeasurement {
 public:
  CellMeasurement(BlockRunner& runner, const SweepCell& cell, const CellOptions& options,
                  const std::function<void(const SweepLink&)>& set_link,
                  const std::function<void(const SweepRound&)>& on_round)
      : runner_(runner),
        cell_(cell),
        options_(options),
        set_link_(set_link),
        on_round_(on_round),
        start_s_(options.clock()) {
    layout_ = options.emulated ? Layout{.nodes = cell.ranks, .devices_per_node = 1, .emulated = true}
                               : Layout{.nodes = 1, .devices_per_node = cell.ranks, .emulated = false};
    synchronised_ = options.emulated ? Condition::kCluster : Condition::kNode;
  }

  CellResult Run() {
    try {
      WarmUp();
      result_.warm_up_s = Elapsed();
      result_.stopped_by = MeasureRounds();
    } catch (const Interrupted&) {
      result_.stopped_by = "interrupted";
    } catch (const OutOfTime&) {
      result_.stopped_by = "max-time";
    } catch (const Error& error) {
      // An interrupt also reaches the ranks; what they die of then is no failure.
      const bool interrupted = options_.interrupted();
      result_.stopped_by = interrupted ? "interrupted" : "failed";
      if (!interrupted) result_.error = error;
    }
    return std::move(result_);
  }

 private:
  double Elapsed() const { return options_.clock() - start_s_; }

  BlockResult RunBlock(Condition condition, int steps) {
    if (options_.interrupted()) throw Interrupted{};
    if (Elapsed() > options_.max_time_s) throw OutOfTime{};
    return runner_.Run(RequestFor(condition, layout_, 0, steps));
  }

  /// The reducer meets an unshaped link first, however slow the others are.
  void WarmUp() {
    set_link_({});
    for (const auto& [condition, steps] :
         {std::pair(Condition::kCrowd, kCrowdWarmUp), std::pair(synchronised_, kSyncWarmUp)}) {
      const BlockResult block = RunBlock(condition, steps);
      Summarise(block, 0, layout_.emulated);  // throws where steps are missing
      last_step_s_[condition == Condition::kCrowd ? "" : "unshaped"] = MeanOverRanks(block, steps - 1);
    }
  }

  /// How long a step over the link will take: as it did, or as its payload needs on top of an unshaped one.
  double ExpectedStep(const SweepLink& link) const {
    const auto seen = last_step_s_.find(link.name);
    if (seen != last_step_s_.end()) return seen->second;
    const double payload = static_cast<double>(gradient_bytes_) * 2 * (cell_.ranks - 1) / cell_.ranks;
    return std::max(last_step_s_.at("unshaped"), last_step_s_.at("") + payload / link.rate->value);
  }

  struct Shape {
    int settling;
    int steps;  ///< settling ones too
  };
  Shape ShapeOf(double step_s) const {
    const int settling = step_s < options_.settle_below_s ? 1 : 0;
    const double counted = step_s > 0 ? std::round(options_.block_target_s / step_s) : options_.max_steps;
    return {settling, settling + static_cast<int>(std::clamp<double>(counted, 1, options_.max_steps))};
  }

  SweepBlock Block(const std::string& name, Condition condition, double expected_s, bool with_buckets) {
    SweepBlock block;
    const Shape shape = ShapeOf(expected_s);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const BlockResult raw = RunBlock(condition, shape.steps);
      const BlockSummary summary = Summarise(raw, shape.settling, layout_.emulated);
      block = {.step_s = summary.step_time_s,
               .parts = summary.parts,
               .communication = summary.communication,
               .slowest_s = SlowestRank(raw, shape.settling, shape.steps),
               .settling = shape.settling,
               .steps_s = {},
               .buckets = {},
               // The kernel's work for the network counts for no process: only blocks without it can tell.
               .polluted = condition == Condition::kCrowd &&
                           ForeignLoadOf(raw, options_.cores, layout_.emulated).polluted};
      for (int step = 0; step < shape.steps; ++step) block.steps_s.push_back(MeanOverRanks(raw, step));
      if (with_buckets) block.buckets = summary.buckets;
      if (!block.polluted) break;
    }
    last_step_s_[name] = UsualStep(block);
    return block;
  }

  bool TakesPart(const SweepLink& link, int round) const {
    const double block_s = last_step_s_.contains(link.name) ? last_step_s_.at(link.name) : ExpectedStep(link);
    const bool is_long = block_s > options_.long_block_s;
    if (round < (is_long ? options_.min_long_rounds : options_.min_rounds)) return true;
    return round < MostRounds() && !Precise(link);
  }

  int MostRounds() const {
    return Elapsed() - result_.warm_up_s < options_.short_rounds_s
               ? std::max(options_.max_rounds, options_.max_short_rounds)
               : options_.max_rounds;
  }

  bool Precise(const SweepLink& link) const {
    const auto stall = StallOver(result_.rounds, link.name);
    return stall && stall->stall_s.HalfWidth() < options_.tolerance * stall->step_s.mean;
  }

  bool AllPrecise() const {
    return std::all_of(cell_.links.begin(), cell_.links.end(),
                       [&](const SweepLink& link) { return Precise(link); });
  }

  std::string MeasureRounds() {
    for (const Layer& layer : BuildNetwork(cell_.network.spec, OptionsOf(cell_.network)).layers) {
      for (const GradientTensor& tensor : layer.parameters) gradient_bytes_ += 4 * tensor.elements();
    }
    Random random(options_.seed + static_cast<std::uint64_t>(options_.earlier_rounds));
    for (int round = 0;; ++round) {
      std::vector<SweepLink> links;
      for (const SweepLink& link : cell_.links) {
        if (TakesPart(link, round)) links.push_back(link);
      }
      if (links.empty()) return AllPrecise() ? "tolerance" : "rounds";
      RunRound(round, links, random);
    }
  }

  void RunRound(int index, std::vector<SweepLink>& links, Random& random) {
    SweepRound round;
    round.index = options_.earlier_rounds + index;
    random.Shuffle(links);
    const std::size_t crowd_at = random.Below(links.size() + 1);
    for (std::size_t i = 0; i <= links.size(); ++i) {
      if (i == crowd_at) round.crowd = Block("", Condition::kCrowd, last_step_s_.at(""), false);
      if (i == links.size()) break;
      set_link_(links[i]);
      round.links[links[i].name] =
          Block(links[i].name, synchronised_, ExpectedStep(links[i]), round.index == 0);
    }
    on_round_(round);
    result_.rounds.push_back(std::move(round));
  }

  BlockRunner& runner_;
  const SweepCell& cell_;
  const CellOptions& options_;
  const std::function<void(const SweepLink&)>& set_link_;
  const std::function<void(const SweepRound&)>& on_round_;
  double start_s_;
  Layout layout_;
  Condition synchronised_ = Condition::kCluster;
  std::int64_t gradient_bytes_ = 0;
  std::map<std::string, double> last_step_s_;  ///< by link; "": without synchronisation
  CellResult result_;
};

StepParts MeanParts(const std::vector<const SweepRound*>& rounds) {
  StepParts mean;
  const auto n = static_cast<double>(rounds.size());
  for (const SweepRound* round : rounds) {
    const StepParts& parts = round->crowd.parts;
    mean.data_wait_s += parts.data_wait_s / n;
    mean.copy_s += parts.copy_s / n;
    mean.forward_s += parts.forward_s / n;
    mean.backward_s += parts.backward_s / n;
    mean.exposed_communication_s += parts.exposed_communication_s / n;
    mean.optimizer_s += parts.optimizer_s / n;
  }
  return mean;
}

}  // namespace

CellResult MeasureCell(BlockRunner& runner, const SweepCell& cell, const CellOptions& options,
                       const std::function<void(const SweepLink&)>& set_link,
                       const std::function<void(const SweepRound&)>& on_round) {
  return CellMeasurement(runner, cell, options, set_link, on_round).Run();
}

std::optional<MeasuredStall> StallOver(const std::vector<SweepRound>& rounds, const std::string& link) {
  std::vector<const SweepRound*> all;
  std::vector<const SweepRound*> clean;
  for (const SweepRound& round : rounds) {
    const auto found = round.links.find(link);
    if (found == round.links.end()) continue;
    all.push_back(&round);
    if (!round.crowd.polluted) clean.push_back(&round);
  }
  const std::vector<const SweepRound*>& used = clean.size() >= 2 ? clean : all;
  if (used.size() < 2) return std::nullopt;
  std::vector<double> crowd;
  std::vector<double> step;
  std::vector<double> stall;
  std::vector<double> slowest;
  for (const SweepRound* round : used) {
    crowd.push_back(UsualStep(round->crowd));
    step.push_back(UsualStep(round->links.at(link)));
    stall.push_back(step.back() - crowd.back());
    slowest.push_back(round->crowd.slowest_s);
  }
  const Bootstrap bootstrap(used.size(), kBootstrapSeed);
  return MeasuredStall{.crowd_s = bootstrap.Median(crowd),
                       .step_s = bootstrap.Median(step),
                       .stall_s = bootstrap.Median(stall),
                       .crowd = MeanParts(used),
                       .slowest_s = MedianOf(slowest),
                       .rounds = static_cast<int>(used.size()),
                       .clean = static_cast<int>(clean.size())};
}

}  // namespace stallscope
