#include "stallscope/report/run_blocks.h"

#include <algorithm>
#include <map>

namespace stallscope {
namespace {

enum Steps {
  kRound,
  kCondition,
  kBlock,
  kRank,
  kNode,
  kStep,
  kStart,
  kWait,
  kCopy,
  kForward,
  kBackward,
  kExposed,
  kOptimizer,
  kTotal,
  kLoss,
  kCounted,
  kPolluted
};
const std::vector<std::string>& StepColumns() {
  static const std::vector<std::string> kColumns = {
      "round",       "condition",   "block",  "rank",      "node",       "step",
      "start_s",     "data_wait_s", "copy_s", "forward_s", "backward_s", "exposed_communication_s",
      "optimizer_s", "total_s",     "loss",   "counted",   "polluted"};
  return kColumns;
}

enum Heads { kHeadRound, kHeadCondition, kHeadBlock, kHeadCounted, kHeadPolluted };

enum Buckets {
  kBucketRound,
  kBucketCondition,
  kBucketBlock,
  kBucketRank,
  kBucketStep,
  kBytes,
  kReady,
  kBegin,
  kEnd
};
const std::vector<std::string>& BucketColumns() {
  static const std::vector<std::string> kColumns = {"round", "condition", "block",   "rank", "step",
                                                    "bytes", "ready_s",   "begin_s", "end_s"};
  return kColumns;
}

std::optional<int> RoundIn(const CsvRows& rows, std::size_t column) {
  if (rows.Text(column).empty()) return std::nullopt;
  return rows.Integer(column);
}

struct Head {
  std::optional<int> round;
  std::string condition;
  bool counted = false;
  bool polluted = false;
};

/// One per block, in the order of the file.
std::vector<Head> HeadsOf(const std::filesystem::path& folder) {
  CsvRows rows(folder / "steps.csv", {"round", "condition", "block", "counted", "polluted"});
  std::vector<Head> heads;
  std::string round, condition, block;
  while (rows.Next()) {
    if (heads.empty() || rows.Text(kHeadBlock) != block || rows.Text(kHeadCondition) != condition ||
        rows.Text(kHeadRound) != round) {
      round = rows.Text(kHeadRound);
      condition = rows.Text(kHeadCondition);
      block = rows.Text(kHeadBlock);
      heads.push_back({.round = RoundIn(rows, kHeadRound), .condition = condition});
    }
    Head& head = heads.back();
    head.counted = head.counted || rows.Text(kHeadCounted) == "1";
    head.polluted = head.polluted || rows.Text(kHeadPolluted) == "1";
  }
  return heads;
}

}  // namespace

std::vector<bool> CountingBlocks(const std::filesystem::path& folder,
                                 const std::vector<std::string>& conditions) {
  const std::vector<Head> heads = HeadsOf(folder);
  std::map<int, std::map<std::string, std::size_t>> rounds;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (heads[i].round) rounds[*heads[i].round][heads[i].condition] = i;
  }
  std::erase_if(rounds, [&](const auto& entry) {
    return !std::all_of(conditions.begin(), conditions.end(), [&](const std::string& condition) {
      const auto found = entry.second.find(condition);
      return found != entry.second.end() && heads[found->second].counted;
    });
  });
  const auto is_polluted = [&](const auto& entry) {
    return std::any_of(entry.second.begin(), entry.second.end(),
                       [&](const auto& block) { return heads[block.second].polluted; });
  };
  const auto polluted = static_cast<std::size_t>(std::count_if(rounds.begin(), rounds.end(), is_polluted));
  // A machine that is never idle: all count, as in RoundsToUse.
  const std::size_t clean = rounds.size() - polluted;
  const bool never_idle = (clean < 2 && rounds.size() >= 2) || 2 * clean < rounds.size();
  std::vector<bool> counting(heads.size());
  for (const auto& round : rounds) {
    if (is_polluted(round) && !never_idle) continue;
    for (const std::string& condition : conditions) counting[round.second.at(condition)] = true;
  }
  return counting;
}

RunBlocks::RunBlocks(const std::filesystem::path& folder, const std::vector<std::string>& conditions,
                     bool buckets)
    : counting_(CountingBlocks(folder, conditions)), steps_(folder / "steps.csv", StepColumns()) {
  more_steps_ = steps_.Next();
  if (buckets && std::filesystem::exists(folder / "buckets.csv")) {
    buckets_.emplace(folder / "buckets.csv", BucketColumns());
    more_buckets_ = buckets_->Next();
  }
}

bool RunBlocks::Next(RunBlock& block) {
  if (!more_steps_) return false;
  const std::string round(steps_.Text(kRound));
  block.round = RoundIn(steps_, kRound);
  block.condition = steps_.Text(kCondition);
  block.block = steps_.Integer(kBlock);
  const std::string number(steps_.Text(kBlock));
  block.polluted = false;
  block.counts = counting_[index_++];
  block.ranks.clear();
  do {
    const int rank = steps_.Integer(kRank);
    if (block.ranks.empty() || block.ranks.back().rank != rank) {
      block.ranks.push_back({.rank = rank, .node = steps_.Integer(kNode)});
    }
    RunRank& of_rank = block.ranks.back();
    StepRecord& step = of_rank.steps.emplace_back();
    step.start_s = steps_.Number(kStart);
    step.data_wait_s = steps_.Number(kWait);
    step.copy_s = steps_.Number(kCopy);
    step.forward_s = steps_.Number(kForward);
    step.backward_s = steps_.Number(kBackward);
    step.exposed_communication_s = steps_.Number(kExposed);
    step.optimizer_s = steps_.Number(kOptimizer);
    step.total_s = steps_.Number(kTotal);
    of_rank.counted.push_back(steps_.Text(kCounted) == "1");
    block.polluted = block.polluted || steps_.Text(kPolluted) == "1";
    if (buckets_) ReadBuckets(block, rank, steps_.Integer(kStep), step);
    more_steps_ = steps_.Next();
  } while (more_steps_ && steps_.Text(kBlock) == number && steps_.Text(kCondition) == block.condition &&
           steps_.Text(kRound) == round);
  return true;
}

void RunBlocks::ReadBuckets(const RunBlock& block, int rank, int step, StepRecord& record) {
  // Both files are written in one order, so that one pass over each suffices.
  while (more_buckets_ && buckets_->Integer(kBucketBlock) == block.block &&
         buckets_->Text(kBucketCondition) == block.condition &&
         RoundIn(*buckets_, kBucketRound) == block.round && buckets_->Integer(kBucketRank) == rank &&
         buckets_->Integer(kBucketStep) == step) {
    record.buckets.push_back({.bytes = static_cast<std::int64_t>(buckets_->Number(kBytes)),
                              .ready_s = buckets_->Number(kReady),
                              .begin_s = buckets_->Number(kBegin),
                              .end_s = buckets_->Number(kEnd)});
    more_buckets_ = buckets_->Next();
  }
}

}  // namespace stallscope
