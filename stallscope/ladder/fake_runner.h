#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/engine/block.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/stats/random.h"

namespace stallscope {

/// A job whose step times are known, on a clock of its own: for tests.
class FakeRunner : public BlockRunner {
 public:
  explicit FakeRunner(const Layout& job) : layout(job) {}

  Layout layout;
  double solo_s = 0.2;
  double crowd_s = 0.21;
  double node_s = 0.3;
  double cluster_s = 0.5;
  double warm_s = 0.55;
  double cold_s = 0.7;
  double loader_alone_s = 0.1;
  double storage_alone_s = 0.2;
  double copy_s = 0.01;
  /// What a rank says of its files in a block with real data.
  std::function<InputRecord(const BlockRequest& request, int block)> input = [](const BlockRequest& request,
                                                                                int) {
    return InputRecord{.state = std::string(DataSourceName(request.data)),
                       .verified = true,
                       .samples = 10,
                       .read_s = 0.1,
                       .decode_s = 0.4,
                       .bytes_taken = 5000};
  };
  double noise_s = 0;                  ///< standard deviation of a block
  double drift_s_per_block = 0;        ///< the machine gets slower
  double slow_first_s = 0;             ///< added to a block's first step
  std::vector<double> device_extra_s;  ///< per rank, in unsynchronised blocks
  std::function<double(int block)> foreign_s = [](int) { return 0.0; };
  std::optional<int> fails_at_block;
  double now_s = 1000;
  std::vector<BlockRequest> requests;

  BlockResult Run(const BlockRequest& request) override {
    const int block = static_cast<int>(requests.size());
    if (fails_at_block && block >= *fails_at_block) throw Error("rank 1 was killed", "look into its log");
    requests.push_back(request);
    const double step_s = StepTime(request) + noise_s * random_.Normal() + drift_s_per_block * block;
    const double wall_s = step_s * request.steps + slow_first_s;
    if (now_s + wall_s > request.give_up_at_s) {
      now_s = request.give_up_at_s;
      throw BlockOverdue("the block does not end", "measure again");
    }
    BlockResult result{.request = request, .ranks = {}};
    for (int rank = 0; rank < layout.Ranks(); ++rank) {
      RankBlock& report = result.ranks.emplace_back();
      report.rank = rank;
      report.node = rank / layout.devices_per_node;
      report.start_s = now_s;
      report.end_s = now_s + wall_s;
      for (const int active : request.ranks) {
        if (active == rank) AddSteps(request, step_s, report);
      }
      if (IsRealData(request.data)) report.input = input(request, block);
    }
    AddLoad(result, foreign_s(block));
    now_s += wall_s;
    return result;
  }

 private:
  double StepTime(const BlockRequest& request) const {
    const bool cold = request.data == DataSource::kCold;
    if (!request.train) return cold ? storage_alone_s : loader_alone_s;
    if (IsRealData(request.data)) return cold ? cold_s : warm_s;
    if (request.sync == Sync::kCluster) return cluster_s;
    if (request.sync == Sync::kNode) return node_s;
    return static_cast<int>(request.ranks.size()) == layout.Hosts() ? solo_s : crowd_s;
  }

  void AddSteps(const BlockRequest& request, double step_s, RankBlock& report) const {
    const auto rank = static_cast<std::size_t>(report.rank);
    const bool extra = request.sync == Sync::kNone && rank < device_extra_s.size();
    if (extra) step_s += device_extra_s[rank];
    report.cpu_s = report.end_s - report.start_s;
    for (int i = 0; i < request.steps; ++i) {
      StepRecord& step = report.steps.emplace_back();
      step.total_s = step_s + (i == 0 ? slow_first_s : 0);
      step.forward_s = step.total_s / 4;
      if (IsRealData(request.data)) step.copy_s = copy_s;
      step.backward_s = step.total_s - step.forward_s;
      if (request.sync != Sync::kNone) {
        step.buckets.push_back({.bytes = 1000, .ready_s = 0.1, .begin_s = 0.1, .end_s = 0.15});
      }
    }
  }

  void AddLoad(BlockResult& result, double foreign) const {
    for (RankBlock& report : result.ranks) {
      double cpu_s = 0;
      for (const RankBlock& other : result.ranks) {
        if (layout.emulated || other.node == report.node) cpu_s += other.cpu_s;
      }
      report.machine_busy_s = cpu_s + foreign;
    }
  }

  Random random_{17};
};

}  // namespace stallscope
