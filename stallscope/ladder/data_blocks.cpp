#include "stallscope/ladder/data_blocks.h"

#include <fmt/format.h>

#include <numeric>

#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

BlockRequest WithoutTraining(const Layout& layout, int turn, int steps) {
  BlockRequest request;
  request.ranks.resize(static_cast<std::size_t>(layout.Ranks()));
  std::iota(request.ranks.begin(), request.ranks.end(), 0);
  request.steps = steps;
  request.turn = turn;
  request.train = false;
  return request;
}

}  // namespace

DataVerdict JudgeData(const BlockResult& block) {
  DataVerdict verdict;
  for (const RankBlock& rank : block.ranks) {
    if (!rank.input) continue;
    const InputRecord& input = *rank.input;
    // Evicting there empties this machine's cache and leaves the server's as it is. It is measured as such.
    const bool client_cold = input.state == "client-cold";
    if (verdict.usable && !input.verified && !client_cold) {
      verdict.usable = false;
      verdict.reason = fmt::format("rank {}: {}", rank.rank, input.reason);
    }
    verdict.worth_a_retry = verdict.worth_a_retry || input.worth_a_retry;
    if (verdict.state.empty() || client_cold) verdict.state = input.state;
  }
  return verdict;
}

BlockRequest LoaderAlone(const Layout& layout, int turn, int steps) {
  BlockRequest request = WithoutTraining(layout, turn, steps);
  request.data = DataSource::kWarm;
  return request;
}

BlockRequest StorageAlone(const Layout& layout, int turn, int steps) {
  BlockRequest request = WithoutTraining(layout, turn, steps);
  request.data = DataSource::kCold;
  request.decode = false;
  return request;
}

double StepTimeAlone(const BlockResult& block, int skip) {
  std::vector<double> times;
  for (const RankBlock& rank : block.ranks) {
    for (std::size_t step = static_cast<std::size_t>(skip); step < rank.steps.size(); ++step)
      times.push_back(rank.steps[step].total_s);
  }
  return MeanOf(times);
}

LoaderInfo LoaderInfoOf(const BlockResult& block) {
  LoaderInfo sum;
  double samples = 0;
  for (const RankBlock& rank : block.ranks) {
    if (!rank.input) continue;
    samples += static_cast<double>(rank.input->samples);
    sum.read_s += rank.input->read_s;
    sum.decode_s += rank.input->decode_s;
    // Batches that nobody took were read as well, so bytes go by their own count.
    sum.bytes += static_cast<double>(rank.input->bytes_taken);
  }
  if (samples == 0) return {};
  return {.read_s = sum.read_s / samples, .decode_s = sum.decode_s / samples, .bytes = sum.bytes / samples};
}

}  // namespace stallscope
