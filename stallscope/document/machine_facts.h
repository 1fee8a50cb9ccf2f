#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stallscope {

/// Who rents the machine out, by the names that its firmware carries.
struct CloudMachine {
  std::string provider;                 ///< "aws", "gcp", "azure", "oracle", "alibaba"
  std::optional<std::string> instance;  ///< "p4d.24xlarge"; only some providers write it there
  std::string evidence;                 ///< the file and its text that say so
};

struct CacheFacts {
  int level = 0;
  std::string type;  ///< "data", "instruction" or "unified"
  std::int64_t bytes = 0;
  int count = 0;    ///< of these in the machine
  int threads = 0;  ///< hardware threads that share one
};

struct PciDeviceFacts {
  std::string address;               ///< "0000:3b:00.0"
  std::string kind;                  ///< "gpu", "network", "storage", or the PCI class in words
  std::string id;                    ///< vendor and device, "10de:20b0"
  std::vector<std::string> devices;  ///< the system's names: "eth0", "nvme0n1"
  std::optional<int> numa_node;
  std::optional<double> link_bytes_per_s;  ///< as hwloc reads the negotiated link
};

/// What the machine is made of, as hwloc sees it.
struct TopologyFacts {
  std::optional<int> packages, numa_nodes, cores, threads;
  std::optional<std::int64_t> memory_bytes;
  std::vector<CacheFacts> caches;
  std::vector<PciDeviceFacts> pci_devices;
};

struct NvLinkFacts {
  int link = 0;
  bool active = false;
  std::optional<std::string> peer;  ///< PCI address of the other end: a GPU of this machine, or a switch
};

/// One GPU, as its driver describes it. What it does not tell is absent.
struct GpuFacts {
  std::optional<std::string> name;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::string> address;
  /// Generations fall while a GPU idles, to save power; widths do not.
  std::optional<int> pcie_generation, pcie_width;
  std::optional<int> pcie_generation_possible, pcie_width_possible;
  std::vector<NvLinkFacts> nvlinks;
};

/// A network interface without loopback.
struct InterfaceFacts {
  std::string name;
  std::optional<double> bytes_per_s;  ///< that the driver reports; virtual ones often report none
  std::optional<int> mtu;
  std::optional<std::string> driver;
  std::optional<std::string> state;  ///< "up", "down", "unknown"
  bool is_virtual = false;           ///< a bridge, veth or the like: there is no device behind it
};

}  // namespace stallscope
