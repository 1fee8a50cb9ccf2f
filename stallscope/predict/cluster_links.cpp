#include "stallscope/predict/cluster_links.h"

#include <algorithm>

#include "stallscope/predict/gpu_links.h"

namespace stallscope {
namespace {

constexpr double kUsualNetworkGbps = 25;
/// Hardware threads that machines have for each of their GPUs, and the fewest of any.
constexpr double kUsualCpusPerGpu = 6;
constexpr double kFewestCpus = 16;

/// What machines of this kind reduce over: their fabric where they have one, else their interface.
std::optional<BytesPerSecond> NetworkOf(const Machine* machine) {
  if (!machine) return std::nullopt;
  if (machine->fabric && machine->fabric->rate) return machine->fabric->rate;
  return SustainedNetwork(*machine);
}

Transport TransportOf(std::string_view word, const Machine* machine, const Stack& stack, bool& assumed) {
  assumed = false;
  if (word == "tcp" || word == "ethernet") return Transport::kTcp;
  for (const char* direct : {"rdma", "infiniband", "ib", "roce", "efa"}) {
    if (word == direct) return Transport::kRdma;
  }
  if (machine && machine->fabric) {
    return machine->fabric->kind == "none" || stack.sockets_only ? Transport::kTcp : Transport::kRdma;
  }
  assumed = true;
  return stack.sockets_only ? Transport::kTcp : Transport::kUnknown;
}

}  // namespace

double CpusOf(const Machine* machine, int gpus) {
  if (machine && machine->vcpus) return *machine->vcpus;
  return std::max(kFewestCpus, kUsualCpusPerGpu * gpus);
}

void FillLinks(ScalingCase& scaling, const LinkDescription& said, std::vector<std::string>& assumed) {
  const InsideChoice inside =
      InsideLinkOf({said.interconnect, said.gpu, said.machine, scaling.gpus_per_node});
  scaling.inside = inside.link;
  scaling.assumed.link = inside.assumed;
  if (inside.assumed) assumed.emplace_back("interconnect");
  if (scaling.nodes == 1) return;
  std::optional<BytesPerSecond> network = NetworkOf(said.machine);
  if (said.network_gbps) network = GigabitsPerSecond(*said.network_gbps);
  scaling.assumed.bandwidth = !network;
  if (!network) assumed.emplace_back("network_gbps");
  scaling.network = network.value_or(GigabitsPerSecond(kUsualNetworkGbps));
  scaling.transport = TransportOf(said.transport, said.machine, scaling.stack, scaling.assumed.transport);
  if (scaling.assumed.transport) assumed.emplace_back("transport");
}

}  // namespace stallscope
