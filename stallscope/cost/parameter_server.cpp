#include "stallscope/cost/parameter_server.h"

#include <algorithm>

#include "stallscope/cost/check_count.h"

namespace stallscope::cost {

Seconds ParameterServerTime(Bytes payload, const ParameterServers& cluster) {
  CheckCount(cluster.workers, "workers");
  CheckCount(cluster.servers, "parameter servers");
  if (cluster.colocated && cluster.servers > cluster.workers) {
    throw Error(
        fmt::format("{} parameter servers do not fit into {} machines", cluster.servers, cluster.workers),
        "place at most one server in each worker's machine, or give the servers their own");
  }
  if (cluster.colocated && cluster.workers == 1) return Seconds(0);
  const Bytes part{payload.value / cluster.servers};
  const Bytes summed{part.value * cluster.workers};
  const Seconds sum = summed / cluster.sum_rate;
  if (cluster.colocated) {
    const Bytes received{part.value * (cluster.workers - 1)};
    return 2.0 * (cluster.worker.latency + received / cluster.worker.bandwidth) + sum;
  }
  const Seconds latency = std::max(cluster.worker.latency, cluster.server.latency);
  const Seconds transfer = std::max(payload / cluster.worker.bandwidth, summed / cluster.server.bandwidth);
  return 2.0 * (latency + transfer) + sum;
}

Seconds HostReduceTime(Bytes payload, int devices, const Link& copy, BytesPerSecond sum_rate) {
  CheckCount(devices, "devices");
  if (devices == 1) return Seconds(0);
  const Bytes summed{payload.value * devices};
  return 2.0 * (copy.latency + payload / copy.bandwidth) + summed / sum_rate;
}

}  // namespace stallscope::cost
