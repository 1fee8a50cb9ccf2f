#include "stallscope/predict/measured_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/predict/cluster_links.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/rate_table.h"

namespace stallscope {
namespace {

/// What stands for blank columns (docs/models.md).
constexpr double kUsualImageBatch = 64;
constexpr double kUsualTextBatch = 32;

std::optional<GradientSync> SyncOf(const std::string& text) {
  if (text.empty() || text == "allreduce") return GradientSync::kAllReduce;
  if (text == "allreduce-host") return GradientSync::kHostAllReduce;
  if (text == "parameter-server") return GradientSync::kParameterServer;
  return std::nullopt;
}

/// Fills gpus_per_node and nodes from any two of the three columns, or says why not.
std::optional<std::string> FillShape(MeasuredCase& measured) {
  const Measurement& row = measured.row;
  std::optional<int> per_node = row.gpus_per_node;
  std::optional<int> nodes = row.nodes;
  const std::optional<int>& total = row.total_gpus;
  if (!per_node && !nodes && !total) return "the row does not say how many GPUs";
  if (!nodes) nodes = total && per_node ? std::max(1, *total / *per_node) : 1;
  if (!per_node) per_node = total ? std::max(1, *total / *nodes) : 1;
  measured.gpus_per_node = *per_node;
  measured.nodes = *nodes;
  if (total && static_cast<long>(*per_node) * *nodes != *total) {
    return fmt::format("{} machines of {} GPUs are not {} GPUs", *nodes, *per_node, *total);
  }
  return std::nullopt;
}

void FillGpuAndLinks(MeasuredCase& measured, const Catalog& catalog, const Machine* machine) {
  const Measurement& row = measured.row;
  const auto resolved = ResolveGpu(catalog, row.gpu.empty() && machine ? machine->gpu : row.gpu);
  if (resolved) measured.gpu = resolved->gpu;
  if (resolved && resolved->assumed) measured.assumed.emplace_back("gpu");
  FillLinks(measured.scaling, {row.interconnect, measured.gpu, machine, row.network_gbps, row.transport},
            measured.assumed);
}

}  // namespace

const MeasuredTable::NetworkFacts& MeasuredTable::FactsOf(const Measurement& row, double gradient_bytes,
                                                          bool fused) {
  const std::string key =
      fmt::format("{}/{}/{}/{}", row.network, row.sequence_length.value_or(0), gradient_bytes, fused);
  const auto found = networks_.find(key);
  if (found != networks_.end()) return found->second;
  NetworkOptions options;
  options.sequence_length = row.sequence_length;
  const Network network = BuildNetwork(row.network, options);
  NetworkFacts& facts = networks_[key];
  facts.kind = network.sample_kind;
  facts.buckets = BucketsOf(network, gradient_bytes, fused ? kUsualBucket : Bytes{0});
  return facts;
}

void MeasuredTable::FillWorkload(MeasuredCase& measured) {
  const Measurement& row = measured.row;
  ScalingCase& scaling = measured.scaling;
  const StackGuess guess = StackOf(defaults_.stack.empty() ? row.framework : defaults_.stack);
  scaling.stack = guess.stack;
  if (!guess.known) measured.assumed.emplace_back("framework");
  if (!IsDtype(row.precision)) measured.assumed.emplace_back("precision");
  const SampleKind kind = FactsOf(row, 4, true).kind;
  const double gradient_bytes = GradientBytes(guess.stack, row.precision, kind);
  scaling.buckets = FactsOf(row, gradient_bytes, guess.stack.fuses).buckets;
  const bool text = kind == SampleKind::kTokens;
  measured.batch = row.batch_per_gpu.value_or(text ? kUsualTextBatch : kUsualImageBatch);
  scaling.assumed.batch = !row.batch_per_gpu;
  if (!row.batch_per_gpu) measured.assumed.emplace_back("batch_per_gpu");
  // Data that nobody mentions is taken for synthetic, as benchmarks have it.
  scaling.real_data = row.data == "real";
  if (scaling.real_data && !text) scaling.prepared_per_step = measured.batch * measured.gpus_per_node;
}

MeasuredCase MeasuredTable::CaseOf(const Measurement& row, int most_gpus_per_node) {
  MeasuredCase measured{.row = row};
  measured.reason = FillShape(measured);
  if (measured.reason) return measured;
  ScalingCase& scaling = measured.scaling;
  scaling.gpus_per_node = measured.gpus_per_node;
  scaling.nodes = measured.nodes;
  const Machine* machine = row.instance.empty() ? nullptr : catalog_.MachineOrNull(row.instance);
  scaling.cpus = CpusOf(machine, most_gpus_per_node);
  const std::optional<GradientSync> sync = SyncOf(row.sync);
  if (!sync) {
    measured.reason = fmt::format("no cost function for sync '{}'", row.sync);
    return measured;
  }
  scaling.sync = *sync;
  try {
    FillWorkload(measured);
  } catch (const Error& error) {
    measured.reason = error.what();
    return measured;
  }
  FillGpuAndLinks(measured, catalog_, machine);
  if (!row.samples_per_s || *row.samples_per_s <= 0) {
    measured.reason = "the row has no rate";
  } else if (measured.batch <= 0) {
    measured.reason = "the batch is not positive";
  } else {
    measured.step = Seconds(measured.batch * scaling.ranks() / *row.samples_per_s);
  }
  return measured;
}

MeasuredTable::MeasuredTable(const std::vector<Measurement>& rows, const Catalog& catalog,
                             const MeasurementDefaults& defaults)
    : catalog_(catalog), defaults_(defaults) {
  std::map<std::string, std::size_t> places;
  std::map<std::string, int> most_gpus;
  for (const Measurement& row : rows) {
    int& most = most_gpus[row.series];
    most = std::max(most, row.gpus_per_node.value_or(row.total_gpus.value_or(1)));
  }
  for (const Measurement& row : rows) {
    const auto [place, fresh] = places.emplace(row.series, series_.size());
    if (fresh) series_.push_back({row.series, SourceGroup(row.source), {}, std::nullopt});
    series_[place->second].cases.push_back(CaseOf(row, most_gpus[row.series]));
  }
  for (MeasuredSeries& series : series_) {
    for (std::size_t i = 0; i < series.cases.size(); ++i) {
      const MeasuredCase& candidate = series.cases[i];
      if (candidate.reason) continue;
      if (!series.known || candidate.scaling.ranks() < series.cases[*series.known].scaling.ranks()) {
        series.known = i;
      }
    }
  }
}

}  // namespace stallscope
