#include "stallscope/ladder/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/ladder/block_summary.h"
#include "stallscope/ladder/data_blocks.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

constexpr int kLeastRounds = 3;
/// Beside the cases, which are numbered from 0.
constexpr int kBaseline = -1;
constexpr std::size_t kBaselines = 3;
/// A block whose files were in another state, or that other processes disturbed, is run again.
constexpr int kAttempts = 4;
/// The reducer rebuilds its buckets in the first steps.
constexpr int kWarmUpSteps = 5;

const std::vector<Condition>& AllRungs() {
  static const std::vector<Condition> rungs = {Condition::kSolo,    Condition::kCrowd, Condition::kNode,
                                               Condition::kCluster, Condition::kWarm,  Condition::kCold};
  return rungs;
}

struct NamedStall {
  const char* name;
  Condition from;
  Condition to;
};
constexpr std::array kStalls = {
    NamedStall{"contention", Condition::kSolo, Condition::kCrowd},
    NamedStall{"communication", Condition::kCrowd, Condition::kNode},
    NamedStall{"network", Condition::kNode, Condition::kCluster},
    NamedStall{"prep", Condition::kCluster, Condition::kWarm},
    NamedStall{"fetch", Condition::kWarm, Condition::kCold},
};

class SelfTest {
 public:
  SelfTest(BlockRunner& runner, const SelfTestOptions& options)
      : runner_(runner), options_(options), start_s_(options.clock()) {}

  SelfTestResult Run() {
    WarmUp();
    SizeInjections();
    double longest_s = 0;
    for (int round = 0;; ++round) {
      const double begin_s = options_.clock();
      const bool late = begin_s - start_s_ + longest_s > options_.max_time_s;
      if (options_.interrupted() || (late && round >= kLeastRounds)) break;
      RunRound(round);
      if (options_.interrupted()) break;
      longest_s = std::max(longest_s, options_.clock() - begin_s);
      ++result_.rounds;
    }
    result_.interrupted = options_.interrupted();
    if (result_.rounds >= 2) Judge();
    return std::move(result_);
  }

 private:
  BlockSummary Block(const InjectionCase& injected, Condition condition, int round, int counted) {
    const BlockPlan plan = PlanBlock(UsesRealData(condition), counted, options_.data);
    for (int attempt = 0;; ++attempt) {
      options_.progress(fmt::format("round {}, {}, {}", round + 1,
                                    injected.name.empty() ? "baseline" : injected.name,
                                    ConditionName(condition)));
      options_.arrange(injected, condition);
      BlockRequest request = RequestFor(condition, options_.layout, round, plan.steps);
      request.inject = injected.inject;
      const BlockResult block = runner_.Run(request);
      const DataVerdict verdict = JudgeData(block);
      const bool disturbed =
          ForeignLoadOf(block, options_.cores_per_machine, options_.layout.emulated).polluted;
      const bool last = attempt + 1 >= kAttempts;
      if (verdict.usable && (!disturbed || last)) {
        if (disturbed) ++result_.disturbed_blocks;
        return Summarise(block, plan.skip, options_.layout.emulated);
      }
      if (!verdict.usable && last)
        throw Error(
            "the files could not be brought into the state that was asked for: " + verdict.reason,
            "use --data on a local disk that nobody else reads; without it, data is made below TMPDIR");
    }
  }

  void WarmUp() {
    for (const Condition condition : AllRungs()) {
      const BlockSummary block = Block({}, condition, 0, kWarmUpSteps);
      slowest_s_ = std::max(slowest_s_, block.step_time_s);
    }
    counted_ = static_cast<int>(std::clamp(std::round(options_.block_target_s / slowest_s_), 2.0, 20.0));
  }

  void SizeInjections() {
    result_.basis.ranks = options_.layout.Ranks();
    result_.basis.network_bytes_per_s = options_.network_bytes_per_s;
    result_.basis.bytes_on_wire = BytesOnWire(options_.gradient_bytes, options_.layout.Ranks());
    result_.basis.samples_per_step = options_.data.shape.batch * options_.data.shape.accumulate;
    const double cluster_s = Block({}, Condition::kCluster, 0, 2 * counted_).step_time_s;
    const BlockPlan plan = PlanBlock(true, 4 * counted_, options_.data);
    options_.arrange({}, Condition::kWarm);
    const BlockResult alone = runner_.Run(LoaderAlone(options_.layout, 0, plan.steps));
    result_.basis.step_bytes = LoaderInfoOf(alone).bytes * result_.basis.samples_per_step;
    result_.basis.step_device_bytes = result_.basis.step_bytes * PagesPerByte(plan.steps);
    result_.cases = CasesFor(result_.basis, cluster_s, options_.limits_disk);
  }

  /// What the disk reads over what the files hold.
  double PagesPerByte(int steps) {
    const BlockResult block = runner_.Run(StorageAlone(options_.layout, 0, steps));
    double device = 0, files = 0;
    for (const RankBlock& rank : block.ranks) {
      if (!rank.input || !rank.input->verified) continue;
      device += static_cast<double>(rank.input->device_bytes);
      files += static_cast<double>(rank.input->bytes);
    }
    return files > 0 ? device / files : 1;
  }

  /// Every case and the baseline on every rung, in random order. The baseline comes several times: every
  /// expectation rests on it.
  void RunRound(int round) {
    std::vector<std::pair<int, Condition>> blocks;
    for (const Condition condition : AllRungs()) {
      for (int number = 0; number < static_cast<int>(result_.cases.size()); ++number)
        blocks.emplace_back(number, condition);
      blocks.insert(blocks.end(), kBaselines, {kBaseline, condition});
    }
    Random random(options_.seed + static_cast<std::uint64_t>(round));
    random.Shuffle(blocks);
    std::map<int, std::map<Condition, std::vector<double>>> times;
    std::map<int, std::vector<double>> skews;
    for (const auto& [number, condition] : blocks) {
      if (options_.interrupted()) return;
      const InjectionCase& injected =
          number == kBaseline ? none_ : result_.cases[static_cast<std::size_t>(number)];
      const BlockSummary block = Block(injected, condition, round, counted_);
      times[number][condition].push_back(block.step_time_s);
      if (condition == Condition::kCluster && block.communication)
        skews[number].push_back(block.communication->skew_s);
    }
    for (const auto& [number, rungs] : times) {
      RoundTimes& row = times_[number].emplace_back();
      for (const auto& [condition, values] : rungs) row[condition] = MeanOf(values);
    }
    for (const auto& [number, values] : skews) skews_[number].push_back(MeanOf(values));
  }

  void Judge() {
    std::vector<double> steps;
    for (const RoundTimes& round : times_[kBaseline]) steps.push_back(round.at(Condition::kCold));
    result_.baseline_step_s = MeanOf(steps);
    const Bootstrap bootstrap(steps.size(), options_.seed);
    for (std::size_t number = 0; number < result_.cases.size(); ++number) JudgeCase(number, bootstrap);
  }

  void JudgeCase(std::size_t number, const Bootstrap& bootstrap) {
    const InjectionCase& injected = result_.cases[number];
    const std::vector<RoundTimes>& measured = times_[static_cast<int>(number)];
    std::vector<RoundTimes> expected;
    for (std::size_t round = 0; round < measured.size(); ++round) {
      const int devices = options_.layout.DevicesPerHost();
      const bool slow_solo = static_cast<int>(round) % devices == devices - 1;
      expected.push_back(ExpectedTimes(injected, result_.basis, times_[kBaseline][round], slow_solo));
    }
    const auto series = [](const std::vector<RoundTimes>& rounds, const NamedStall& stall) {
      std::vector<double> values;
      for (const RoundTimes& round : rounds) values.push_back(round.at(stall.to) - round.at(stall.from));
      return values;
    };
    std::vector<double> compute_measured, compute_expected;
    for (std::size_t round = 0; round < measured.size(); ++round) {
      compute_measured.push_back(measured[round].at(Condition::kSolo));
      compute_expected.push_back(expected[round].at(Condition::kSolo));
    }
    AddCell(injected.name, "compute", compute_measured, compute_expected, bootstrap);
    for (const NamedStall& stall : kStalls)
      AddCell(injected.name, stall.name, series(measured, stall), series(expected, stall), bootstrap);
    if (injected.inject.slow_rank_s > 0 && !injected.network_bytes_per_s) AddSkew(number, bootstrap);
  }

  /// The others wait for the slow rank: the mean over ranks is (ranks - 1) / ranks of its delay.
  void AddSkew(std::size_t number, const Bootstrap& bootstrap) {
    std::vector<double> expected = skews_[kBaseline];
    const std::vector<double>& measured = skews_[static_cast<int>(number)];
    if (expected.size() != measured.size() || expected.size() != bootstrap.rounds()) return;
    const double ranks = result_.basis.ranks;
    for (double& skew : expected) skew += result_.cases[number].inject.slow_rank_s * (ranks - 1) / ranks;
    AddCell(result_.cases[number].name, "skew", measured, expected, bootstrap);
  }

  void AddCell(const std::string& injection, const char* stall, const std::vector<double>& measured,
               const std::vector<double>& expected, const Bootstrap& bootstrap) {
    std::vector<double> misses, steps(measured.size(), result_.baseline_step_s);
    for (std::size_t i = 0; i < measured.size(); ++i) misses.push_back(measured[i] - expected[i]);
    SelfTestCell cell{.injection = injection,
                      .stall = stall,
                      .expected_s = MeanOf(expected),
                      .measured_s = bootstrap.Mean(measured),
                      .miss = bootstrap.Ratio(misses, steps)};
    cell.passed = std::abs(cell.miss.mean) <= kSelfTestMargin || cell.miss.HoldsZero();
    result_.cells.push_back(cell);
  }

  BlockRunner& runner_;
  const SelfTestOptions& options_;
  double start_s_;
  double slowest_s_ = 0;
  int counted_ = 2;
  const InjectionCase none_;
  std::map<int, std::vector<RoundTimes>> times_;  ///< by case
  std::map<int, std::vector<double>> skews_;
  SelfTestResult result_;
};

}  // namespace

double SelfTestResult::PassedShare() const {
  const auto passed =
      std::count_if(cells.begin(), cells.end(), [](const SelfTestCell& cell) { return cell.passed; });
  return cells.empty() ? 0 : static_cast<double>(passed) / static_cast<double>(cells.size());
}

SelfTestResult RunSelfTest(BlockRunner& runner, const SelfTestOptions& options) {
  return SelfTest(runner, options).Run();
}

}  // namespace stallscope
