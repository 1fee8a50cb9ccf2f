#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/collective_curve.h"
#include "stallscope/document/estimate.h"
#include "stallscope/document/host.h"
#include "stallscope/document/machine_facts.h"
#include "stallscope/document/profile.h"
#include "stallscope/document/quantity.h"

namespace stallscope {

inline constexpr const char* kMachineSchema = "stallscope.machine/1";

/// JPEGs of one size, decoded whole to RGB.
struct DecodeRates {
  int image_width = 0;
  int image_height = 0;
  double image_bytes = 0;  ///< mean
  Estimate one_core;       ///< images/s, the others idle
  Estimate all_cores;      ///< images/s of all together
  int cores = 0;           ///< that the process may use
};

/// a[i] = b[i] + q c[i] on doubles, counted as STREAM counts it: 24 bytes an element.
struct TriadRate {
  Estimate bytes_per_s;
  double best_bytes_per_s = 0;  ///< of the fastest pass, which STREAM reports
  std::int64_t array_bytes = 0;
  int threads = 0;
};

struct MemoryRates {
  TriadRate one_core;
  TriadRate all_cores;
};

/// Reads of one kind from the disk.
struct DiskReads {
  std::string pattern;  ///< "sequential" or "random"
  std::int64_t request_bytes = 0;
  int depth = 0;  ///< requests in flight
  Estimate bytes_per_s;
  Estimate latency_s;  ///< of a request: depth / requests per second
};

struct DiskRates {
  std::string path;     ///< the folder or file that was asked for
  std::string storage;  ///< "disk", or the kind of network file system
  std::int64_t file_bytes = 0;
  bool direct = false;       ///< O_DIRECT; else evicted before every block
  std::string cache;         ///< "cold", "client-cold", "mixed", "unknown": what the reads were
  std::string cache_reason;  ///< why that could not be verified; empty where it was
  std::vector<DiskReads> reads;
};

/// What was not measured, and why.
struct AbsentPart {
  std::string part;
  std::string reason;
};

/// How a quantity moved while it was watched.
struct Drift {
  std::string quantity;
  Estimate change;  ///< of the fitted line over the whole watch, as a share of the mean
};

struct Outlier {
  std::string quantity;
  double at_s = 0;  ///< since the first round began
  double value = 0;
  double median = 0;  ///< of all rounds
};

struct WatchResult {
  double duration_s = 0;
  std::vector<Drift> drifts;
  std::vector<Outlier> outliers;
};

/// One quantity against what is expected of it.
struct ExpectedLine {
  std::string quantity;
  std::string unit;
  bool higher_is_better = true;
  Estimate expected;
  std::string basis;              ///< of what is expected: kMeasured, kReported or kDocumented
  std::string source;             ///< likewise
  std::optional<Estimate> found;  ///< absent where this card does not have it
  std::optional<double> share;    ///< found / expected, upside down where lower is better
  std::string verdict;            ///< "met", "missed", "unsure" or "absent"
};

/// A card held against another, or against a machine of the catalog.
struct Expectation {
  std::string of;  ///< the file or the machine's name
  double fail_below = 0;
  std::vector<ExpectedLine> lines;
};

/// What a machine is and what it does: the document stallscope.machine/1.
struct MachineCard {
  ToolInfo tool;
  std::string created;
  std::vector<std::string> argv;
  HostInfo host;
  std::uint64_t seed = 0;

  std::optional<CloudMachine> cloud;
  TopologyFacts topology;
  std::vector<GpuFacts> gpus;
  std::vector<InterfaceFacts> interfaces;

  int rounds = 0;            ///< that every measured number is a mean over
  int disturbed_blocks = 0;  ///< of these rounds: they count, although others took processor time from them
  std::string stopped_by;
  /// Of the cores' time meanwhile, what the hypervisor gave to other machines; absent where it does not tell.
  std::optional<double> steal_share;
  std::optional<DecodeRates> decode;
  std::optional<MemoryRates> memory;
  std::optional<DiskRates> disk;
  std::vector<CollectiveCurve> collectives;
  std::vector<AbsentPart> absent;
  std::optional<WatchResult> watch;
  std::optional<Expectation> expectation;
};

/// Every number of the card that another machine's can be compared with, in the order of the document.
std::vector<Quantity> QuantitiesOf(const MachineCard& card);

/// "disk.random.4KiB.depth16".
std::string DiskQuantityName(const std::string& pattern, std::int64_t request_bytes, int depth);

/// GPUs by their driver, else by the display controllers of GPU makers on the PCI bus; nothing where neither
/// could be looked at.
std::optional<int> GpuCount(const MachineCard& card);

std::string ToJson(const MachineCard& card);

/// Throws Error that names the source and the field.
MachineCard MachineCardFromJson(const std::string& text, const std::string& source);

}  // namespace stallscope
