#include "stallscope/predict/measured_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_links.h"
#include "stallscope/predict/gradient_buckets.h"

namespace stallscope {
namespace {

/// Hardware threads of machines that rows name; others have as many per GPU as cloud machines usually have.
struct NamedHost {
  const char* instance;
  double cpus;
};
constexpr std::array kHosts = {NamedHost{"DGX-1", 80}, NamedHost{"DGX-2", 96}, NamedHost{"DGX-A100", 256},
                               NamedHost{"p3.16xlarge", 64}};
constexpr double kUsualCpusPerGpu = 6;
constexpr double kFewestCpus = 16;
/// What stands for blank columns (docs/models.md).
constexpr double kUsualImageBatch = 64;
constexpr double kUsualTextBatch = 32;
constexpr double kUsualNetworkGbps = 25;

double CpusOf(const std::string& instance, int most_gpus_per_node) {
  for (const NamedHost& host : kHosts) {
    if (instance == host.instance) return host.cpus;
  }
  return std::max(kFewestCpus, kUsualCpusPerGpu * most_gpus_per_node);
}

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
  if (total && static_cast<long>(*per_node) * *nodes != *total) {
    return fmt::format("{} machines of {} GPUs are not {} GPUs", *nodes, *per_node, *total);
  }
  measured.gpus_per_node = *per_node;
  measured.nodes = *nodes;
  return std::nullopt;
}

void FillLinks(MeasuredCase& measured) {
  const Measurement& row = measured.row;
  ScalingCase& scaling = measured.scaling;
  const InsideChoice inside = InsideLinkOf(row.interconnect, row.gpu, measured.gpus_per_node);
  scaling.inside = inside.link;
  scaling.assumed.link = inside.assumed;
  if (inside.assumed) measured.assumed.emplace_back("interconnect");
  if (measured.nodes == 1) return;
  scaling.network = GigabitsPerSecond(row.network_gbps.value_or(kUsualNetworkGbps));
  scaling.assumed.bandwidth = !row.network_gbps;
  if (!row.network_gbps) measured.assumed.emplace_back("network_gbps");
  if (row.transport == "rdma" || row.transport == "efa" || row.transport == "infiniband") {
    scaling.transport = Transport::kRdma;
  } else if (row.transport == "tcp") {
    scaling.transport = Transport::kTcp;
  } else {
    scaling.transport = scaling.stack.sockets_only ? Transport::kTcp : Transport::kUnknown;
    scaling.assumed.transport = true;
    measured.assumed.emplace_back("transport");
  }
}

}  // namespace

std::string SourceGroup(const std::string& source) {
  const std::size_t mark = source.rfind("_v");
  const bool version = mark != source.npos && mark > 0 && mark + 2 < source.size() &&
                       source.find_first_not_of("0123456789", mark + 2) == source.npos;
  return version ? source.substr(0, mark) : source;
}

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

void MeasuredTable::FillWorkload(MeasuredCase& measured, const MeasurementDefaults& defaults) {
  const Measurement& row = measured.row;
  ScalingCase& scaling = measured.scaling;
  const StackGuess guess = StackOf(defaults.stack.empty() ? row.framework : defaults.stack);
  scaling.stack = guess.stack;
  if (!guess.known) measured.assumed.emplace_back("framework");
  if (row.precision.empty()) measured.assumed.emplace_back("precision");
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

MeasuredCase MeasuredTable::CaseOf(const Measurement& row, int most_gpus_per_node,
                                   const MeasurementDefaults& defaults) {
  MeasuredCase measured{.row = row};
  measured.reason = FillShape(measured);
  if (measured.reason) return measured;
  ScalingCase& scaling = measured.scaling;
  scaling.gpus_per_node = measured.gpus_per_node;
  scaling.nodes = measured.nodes;
  scaling.cpus = CpusOf(row.instance, most_gpus_per_node);
  const std::optional<GradientSync> sync = SyncOf(row.sync);
  if (!sync) {
    measured.reason = fmt::format("no cost function for sync '{}'", row.sync);
    return measured;
  }
  scaling.sync = *sync;
  try {
    FillWorkload(measured, defaults);
  } catch (const Error& error) {
    measured.reason = error.what();
    return measured;
  }
  FillLinks(measured);
  if (!row.samples_per_s || *row.samples_per_s <= 0) {
    measured.reason = "the row has no rate";
  } else if (measured.batch <= 0) {
    measured.reason = "the batch is not positive";
  } else {
    measured.step = Seconds(measured.batch * scaling.ranks() / *row.samples_per_s);
  }
  return measured;
}

MeasuredTable::MeasuredTable(const std::vector<Measurement>& rows, const MeasurementDefaults& defaults) {
  std::map<std::string, std::size_t> places;
  std::map<std::string, int> most_gpus;
  for (const Measurement& row : rows) {
    int& most = most_gpus[row.series];
    most = std::max(most, row.gpus_per_node.value_or(row.total_gpus.value_or(1)));
  }
  for (const Measurement& row : rows) {
    const auto [place, fresh] = places.emplace(row.series, series_.size());
    if (fresh) series_.push_back({row.series, SourceGroup(row.source), {}, std::nullopt});
    series_[place->second].cases.push_back(CaseOf(row, most_gpus[row.series], defaults));
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
