#include "stallscope/report/steps_csv.h"

#include <fmt/core.h>

#include "stallscope/base/error.h"
#include "stallscope/report/csv_file.h"

namespace stallscope {

void WriteStepsHeader(std::ostream& out) {
  out << "round,condition,block,rank,node,step,start_s,data_wait_s,copy_s,forward_s,backward_s,"
         "exposed_communication_s,optimizer_s,total_s,loss,counted,foreign_s,polluted\n";
}

void WriteSteps(const MeasuredBlock& block, std::ostream& out) {
  for (const RankBlock& rank : block.result.ranks) {
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      const StepRecord& step = rank.steps[i];
      const bool counted = block.round && block.verified && static_cast<int>(i) >= block.skipped_steps;
      out << fmt::format(
          "{},{},{},{},{},{},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.6g},{:d},{:.3f},{:d}"
          "\n",
          RoundText(block), ConditionName(block.condition), block.block, rank.rank, rank.node, i,
          step.start_s, step.data_wait_s, step.copy_s, step.forward_s, step.backward_s,
          step.exposed_communication_s, step.optimizer_s, step.total_s, step.loss, counted,
          block.foreign.seconds, block.foreign.polluted);
    }
  }
}

void WriteBucketsHeader(std::ostream& out) {
  out << "round,condition,block,rank,step,bucket,bytes,ready_s,begin_s,end_s\n";
}

void WriteBuckets(const MeasuredBlock& block, std::ostream& out) {
  for (const RankBlock& rank : block.result.ranks) {
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      const std::vector<BucketTimes>& buckets = rank.steps[i].buckets;
      for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        const BucketTimes& times = buckets[bucket];
        out << fmt::format("{},{},{},{},{},{},{},{:.9f},{:.9f},{:.9f}\n", RoundText(block),
                           ConditionName(block.condition), block.block, rank.rank, i, bucket, times.bytes,
                           times.ready_s, times.begin_s, times.end_s);
      }
    }
  }
}

StepsCsv::StepsCsv(const std::filesystem::path& folder, bool append)
    : folder_(folder),
      steps_(OpenCsv(folder / "steps.csv", append, WriteStepsHeader)),
      buckets_(OpenCsv(folder / "buckets.csv", append, WriteBucketsHeader)) {}

void StepsCsv::OnBlock(const MeasuredBlock& block) {
  WriteSteps(block, steps_);
  WriteBuckets(block, buckets_);
  steps_.flush();
  buckets_.flush();
  if (!steps_ || !buckets_) {
    throw Error(fmt::format("cannot write steps.csv or buckets.csv in '{}'", folder_.string()),
                "free some space on that disk");
  }
}

}  // namespace stallscope
