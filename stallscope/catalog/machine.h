#pragma once

#include <optional>
#include <string>

#include "stallscope/base/units.h"
#include "stallscope/catalog/provenance.h"

namespace stallscope {

enum class NetworkBurst {
  kUnknown,         ///< the source does not say
  kNone,            ///< the ceiling holds for as long as one likes
  kCredit,          ///< the ceiling is credit that runs out in 5 to 60 minutes: plan on the baseline
  kCeilingUnknown,  ///< marketed as "up to" something that nobody read: only the baseline is known
};

/// The network that GPUs of several machines reduce over, where it is apart from plain TCP.
struct Fabric {
  std::string kind;  ///< "efa", "infiniband", "roce", "tcpx", "tcpxo", "neuronlink"; "none": plain TCP only
  std::optional<int> nics;
  std::optional<BytesPerSecond> rate;  ///< all NICs together, one way
  std::optional<bool> gpudirect;       ///< NICs read GPU memory without a copy in the host's
};

/// A machine that can be rented or bought. What is not known is absent, never zero: no local disk is 0 bytes.
struct Machine {
  std::string provider;    ///< "aws"; "own" for a machine card
  std::string name;        ///< "p3.8xlarge", unique within its provider
  std::string gpu;         ///< a name of the GPU table, or what the provider calls it where that is ambiguous
  std::string gpu_listed;  ///< as the price list has it
  double gpus = 0;         ///< below 1 for a slice of one
  std::optional<Bytes> gpu_memory;  ///< of one GPU
  std::optional<int> vcpus;
  std::optional<Bytes> memory;
  std::optional<BytesPerSecond> network_ceiling;
  std::optional<BytesPerSecond> network_baseline;
  NetworkBurst burst = NetworkBurst::kUnknown;
  std::optional<Fabric> fabric;  ///< absent: nobody read what there is
  std::optional<Bytes> local_disk;
  std::optional<BytesPerSecond> disk_ceiling;  ///< of network disks (EBS and its like)
  std::optional<BytesPerSecond> disk_baseline;
  std::string
      interconnect;  ///< between GPUs: "pcie3", "nvlink2", "nvswitch(nvlink3)", "single"; empty: unknown
  std::optional<BytesPerSecond>
      interconnect_one_way;  ///< of one GPU, all its links; vendors print the double
  std::optional<int> pcie_generation;
  std::optional<int> pcie_width;  ///< lanes that GPUs were seen to run with
  std::optional<int> numa_nodes;
  std::string topology;      ///< a name of the topology table; empty: by class (TopologyOf)
  std::string availability;  ///< "listed", "retired", "unlisted" (no price found), "sold", "own"
  std::string last_listed;   ///< day, for retired machines
  Provenance provenance;
};

/// What jobs of hours can count on: the baseline where the ceiling is credit or unknown, else the ceiling.
std::optional<BytesPerSecond> SustainedNetwork(const Machine& machine);
std::optional<BytesPerSecond> SustainedDisk(const Machine& machine);

struct Gpu;
/// The machine's own figure, else the GPU's; a slice of a GPU has that share of it.
std::optional<Bytes> MemoryPerGpu(const Machine& machine, const Gpu* gpu);

/// "aws/p3.8xlarge".
std::string FullName(const Machine& machine);

}  // namespace stallscope
