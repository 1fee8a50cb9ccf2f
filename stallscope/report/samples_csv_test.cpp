#include "stallscope/report/samples_csv.h"

#include <gtest/gtest.h>

#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

constexpr const char* kHeader =
    "round,condition,block,node,time_s,cpu_busy_s,disk_read_bytes,disk_written_bytes,network_received_bytes,"
    "network_sent_bytes,memory_used_bytes,page_cache_bytes,gpu_busy_share,gpu_memory_bytes\n";

MeasuredBlock SampledBlock() {
  MeasuredBlock block;
  block.round = 4;
  block.block = 17;
  block.condition = Condition::kNode;
  RankBlock& first = block.result.ranks.emplace_back();
  first.samples.push_back({.time_s = 1000.5,
                           .cpu_busy_s = 98.39,
                           .disk_read_bytes = 4874416128.0,
                           .disk_written_bytes = 512,
                           .network_received_bytes = 0,
                           .network_sent_bytes = 7,
                           .memory_used_bytes = 4096,
                           .page_cache_bytes = 8192,
                           .gpu_busy_share = 0.65,
                           .gpu_memory_bytes = 8e9});
  block.result.ranks.emplace_back();  // the second rank of a machine takes no samples
  RankBlock& other = block.result.ranks.emplace_back();
  other.node = 1;
  other.samples.push_back({.time_s = 2, .network_received_bytes = 9007199254740991.0});
  return block;
}

TEST(SamplesCsv, HasOneRowPerMachineAndSampleAndLeavesAbsentCellsEmpty) {
  std::ostringstream out;
  WriteSamplesHeader(out);
  WriteSamples(SampledBlock(), out);
  EXPECT_EQ(out.str(), std::string(kHeader) +
                           "4,node,17,0,1000.500000000,98.39,4874416128,512,0,7,4096,8192,0.6500,8000000000\n"
                           "4,node,17,1,2.000000000,,,,9007199254740991,,,,,\n");
}

TEST(SamplesCsv, WarmUpBlocksBelongToNoRound) {
  MeasuredBlock block = SampledBlock();
  block.round.reset();
  std::ostringstream out;
  WriteSamples(block, out);
  EXPECT_EQ(out.str().substr(0, 9), ",node,17,");
}

TEST(SamplesCsv, EveryFinishedBlockIsOnTheDiskAtOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "stallscope-samples-csv";
  std::filesystem::remove_all(folder);
  EXPECT_THROW(SamplesCsv missing(folder), Error);
  std::filesystem::create_directory(folder);
  SamplesCsv csv(folder);
  csv.OnBlock(SampledBlock());
  std::ostringstream expected;
  WriteSamplesHeader(expected);
  WriteSamples(SampledBlock(), expected);
  EXPECT_EQ(ReadFile(folder / "samples.csv"), expected.str());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stallscope
