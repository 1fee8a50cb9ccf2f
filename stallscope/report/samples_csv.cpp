#include "stallscope/report/samples_csv.h"

#include <fmt/core.h>

#include <array>
#include <optional>

#include "stallscope/base/error.h"
#include "stallscope/report/csv_file.h"

namespace stallscope {
namespace {

struct Column {
  const char* name;
  std::optional<double> ResourceSample::*field;
  int decimals;
};

constexpr std::array kColumns = {
    // The kernel counts in 10 ms.
    Column{"cpu_busy_s", &ResourceSample::cpu_busy_s, 2},
    Column{"disk_read_bytes", &ResourceSample::disk_read_bytes, 0},
    Column{"disk_written_bytes", &ResourceSample::disk_written_bytes, 0},
    Column{"network_received_bytes", &ResourceSample::network_received_bytes, 0},
    Column{"network_sent_bytes", &ResourceSample::network_sent_bytes, 0},
    Column{"memory_used_bytes", &ResourceSample::memory_used_bytes, 0},
    Column{"page_cache_bytes", &ResourceSample::page_cache_bytes, 0},
    Column{"gpu_busy_share", &ResourceSample::gpu_busy_share, 4},
    Column{"gpu_memory_bytes", &ResourceSample::gpu_memory_bytes, 0},
};

}  // namespace

void WriteSamplesHeader(std::ostream& out) {
  out << "round,condition,block,node,time_s";
  for (const Column& column : kColumns) out << ',' << column.name;
  out << '\n';
}

void WriteSamples(const MeasuredBlock& block, std::ostream& out) {
  for (const RankBlock& rank : block.result.ranks) {
    for (const ResourceSample& sample : rank.samples) {
      out << fmt::format("{},{},{},{},{:.9f}", RoundText(block), ConditionName(block.condition), block.block,
                         rank.node, sample.time_s);
      for (const Column& column : kColumns) {
        out << ',';
        // Absent is an empty cell, never 0.
        if (sample.*column.field) out << fmt::format("{:.{}f}", *(sample.*column.field), column.decimals);
      }
      out << '\n';
    }
  }
}

SamplesCsv::SamplesCsv(const std::filesystem::path& folder, bool append)
    : folder_(folder), samples_(OpenCsv(folder / "samples.csv", append, WriteSamplesHeader)) {}

void SamplesCsv::OnBlock(const MeasuredBlock& block) {
  WriteSamples(block, samples_);
  samples_.flush();
  if (!samples_) {
    throw Error(fmt::format("cannot write samples.csv in '{}'", folder_.string()),
                "free some space on that disk");
  }
}

}  // namespace stallscope
