#pragma once

#include "stallscope/cost/link.h"

namespace stallscope::cost {

/// Workers push their gradients to servers, each of which owns an equal part, and pull the result.
struct ParameterServers {
  int workers = 1;
  int servers = 1;
  Link worker;  ///< of each worker
  Link server;  ///< of each server, shared by all workers
  /// The first servers sit in the workers' machines and share their links (`worker`; `server` is not used).
  bool colocated = false;
  /// Gradient bytes that one server adds up in a second.
  BytesPerSecond sum_rate = kNoLimit;
};

/// Push, sum, pull, one after the other; w workers, p servers:
/// t = 2·(latency + max(s/worker, w·s/(p·server))) + w·s/(p·sum_rate), with the higher latency of the two
/// links. Colocated: t = 2·(latency + (w-1)·s/(p·worker)) + w·s/(p·sum_rate), and zero for one worker. A
/// single worker with a server elsewhere still pushes and pulls: not zero.
Seconds ParameterServerTime(Bytes payload, const ParameterServers& cluster);

/// Every device copies its gradients to host memory, the CPU adds them up, every device copies the sum back:
/// t = 2·(latency + s/bandwidth) + n·s/sum_rate. `copy` is what one device has while all n copy at once
/// (MachinePlan::host). Zero for one device.
Seconds HostReduceTime(Bytes payload, int devices, const Link& copy, BytesPerSecond sum_rate = kNoLimit);

}  // namespace stallscope::cost
