#include "stallscope/law/law_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/supervise/network_lab.h"

namespace stallscope {
namespace {

constexpr int kFewestRounds = 2;

LawNetwork NetworkRow(const SweepNetwork& network, const Network& built) {
  const NetworkTotals totals = Totals(built);
  LawNetwork row{.name = network.spec,
                 .family = network.family,
                 .layers = totals.layers,
                 .gradient_tensors = totals.gradient_tensors,
                 .gradient_bytes = totals.gradient_bytes,
                 .parameters = totals.parameters,
                 .batch = network.batch,
                 .image_size = std::nullopt,
                 .sequence_length = std::nullopt};
  if (network.image_size) row.image_size = *network.image_size;
  if (network.sequence_length) row.sequence_length = *network.sequence_length;
  return row;
}

bool SameWorkload(const LawNetwork& a, const LawNetwork& b) {
  return a.batch == b.batch && a.image_size == b.image_size && a.sequence_length == b.sequence_length;
}

/// A spec that was fed in several ways is several networks, told apart by what they were fed.
std::size_t IndexOf(FitData& data, LawNetwork row) {
  const std::string spec = row.name;
  bool taken = false;
  for (std::size_t i = 0; i < data.networks.size(); ++i) {
    const LawNetwork& known = data.networks[i];
    if (known.name != spec && !known.name.starts_with(spec + " (")) continue;
    if (SameWorkload(known, row)) return i;
    taken = true;
  }
  if (taken) {
    row.name = fmt::format("{} (batch {}{})", spec, row.batch,
                           row.image_size        ? fmt::format(", {} pixels", *row.image_size)
                           : row.sequence_length ? fmt::format(", {} tokens", *row.sequence_length)
                                                 : "");
  }
  data.networks.push_back(std::move(row));
  return data.networks.size() - 1;
}

ExchangeStep StepOf(const SweptCell& swept, const SweepLink& link, const MeasuredStall& stall,
                    const Network& network, BytesPerSecond memory, Bytes cached) {
  ExchangeStep step;
  const StepParts& parts = stall.crowd;
  const double sum = parts.forward_s + parts.backward_s + parts.optimizer_s;
  const double usual = sum > 0 ? stall.crowd_s.mean / sum : 0;
  step.compute = {Seconds(usual * parts.forward_s), Seconds(usual * parts.backward_s),
                  Seconds(usual * parts.optimizer_s)};
  step.buckets =
      EngineBuckets(network, swept.cell.bucket, swept.cell.network.batch, step.compute.backward, memory);
  step.tensors = static_cast<int>(Totals(network).gradient_tensors);
  step.broadcasts = !BufferTensors(network).empty();
  step.ranks = swept.cell.ranks;
  step.wire = link.rate;
  step.cached = cached;
  if (link.rate) step.burst = NetworkLab::Burst(*link.rate);
  return step;
}

}  // namespace

double ComputeSeconds(const FitPoint& point) {
  return point.measured.crowd_s.mean;
}

FitData FitDataOf(const Sweep& sweep) {
  FitData data;
  for (const SweptCell& swept : sweep.cells) {
    const Network network = BuildNetwork(swept.cell.network.spec, OptionsOf(swept.cell.network));
    const BytesPerSecond memory{sweep.origin.memory_bytes_per_s
                                    ? *sweep.origin.memory_bytes_per_s / swept.cell.ranks
                                    : kUsualMemoryRate};
    const Bytes cached{static_cast<double>(sweep.origin.private_cache_bytes.value_or(0))};
    const std::size_t index = IndexOf(data, NetworkRow(swept.cell.network, network));
    for (const SweepLink& link : swept.cell.links) {
      const auto stall = StallOver(swept.rounds, link.name);
      if (!stall) continue;
      data.points.push_back({index,
                             {swept.cell.bucket, link.name, swept.cell.ranks},
                             *stall,
                             StepOf(swept, link, *stall, network, memory, cached)});
    }
  }
  // What others disturbed in every round says little; but where most points are like that the machine is
  // never idle, and all count. So do they where the others would be too few for a law.
  const auto disturbed = [](const FitPoint& point) { return point.measured.clean < kFewestRounds; };
  const auto count = std::count_if(data.points.begin(), data.points.end(), disturbed);
  const auto left = std::ssize(data.points) - count;
  if (count <= left && left > static_cast<std::ptrdiff_t>(kLawCoefficients))
    std::erase_if(data.points, disturbed);
  return data;
}

}  // namespace stallscope
