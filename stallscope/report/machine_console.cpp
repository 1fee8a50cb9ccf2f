#include "stallscope/report/machine_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/report/numbers.h"

namespace stallscope {
namespace {

constexpr int kNameColumns = 33;
constexpr int kValueColumns = 21;
constexpr int kExpectedColumns = 11;
constexpr int kShareColumns = 7;
constexpr int kSizeColumns = 12;
constexpr int kTimeColumns = 13;
constexpr int kRateColumns = 17;
/// Less stolen time than this is nothing to talk about.
constexpr double kWorthSaying = 0.02;
constexpr std::int64_t kKibi = 1024;

std::string OneValue(double value, const std::string& unit) {
  if (unit == "s") return FormatSeconds(value);
  if (unit == "B") return FormatBytes(value);
  if (unit == "B/s") return FormatBytes(value) + "/s";
  const std::string number =
      std::abs(value) < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string Counted(const std::optional<int>& count, const char* noun) {
  return count ? fmt::format("{} {}{}", *count, noun, *count == 1 ? "" : "s") : "";
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

std::string CacheText(const CacheFacts& cache) {
  const std::string size = cache.bytes >= kKibi * kKibi ? fmt::format("{} MiB", cache.bytes / (kKibi * kKibi))
                                                        : fmt::format("{} KiB", cache.bytes / kKibi);
  const char* kind = cache.type == "data" ? "d" : cache.type == "instruction" ? "i" : "";
  return fmt::format("L{}{} {} x {}", cache.level, kind, cache.count, size);
}

std::string GpuText(const GpuFacts& gpu) {
  std::vector<std::string> parts = {gpu.name.value_or("a GPU"), gpu.address.value_or("")};
  if (gpu.memory_bytes) parts.push_back(FormatBytes(static_cast<double>(*gpu.memory_bytes)));
  if (gpu.pcie_width) {
    parts.push_back(fmt::format(
        "PCIe x{}{}{}", *gpu.pcie_width,
        gpu.pcie_width_possible ? fmt::format(" of x{}", *gpu.pcie_width_possible) : "",
        gpu.pcie_generation_possible ? fmt::format(" generation {}", *gpu.pcie_generation_possible) : ""));
  }
  if (!gpu.nvlinks.empty()) {
    const auto active =
        std::count_if(gpu.nvlinks.begin(), gpu.nvlinks.end(), [](auto& l) { return l.active; });
    parts.push_back(fmt::format("{} of {} NVLinks up", active, gpu.nvlinks.size()));
  }
  return Joined(parts);
}

std::string InterfaceText(const InterfaceFacts& interface) {
  constexpr double kBitsPerByte = 8;
  std::vector<std::string> parts = {interface.is_virtual ? "virtual" : interface.driver.value_or("")};
  parts.push_back(interface.state.value_or(""));
  parts.push_back(interface.bytes_per_s
                      ? fmt::format("{:g} Gbit", *interface.bytes_per_s * kBitsPerByte / 1e9)
                      : "reports no speed");
  if (interface.mtu) parts.push_back(fmt::format("MTU {}", *interface.mtu));
  return interface.name + ": " + Joined(parts);
}

class CardPrinter {
 public:
  CardPrinter(const MachineCard& card, const TextStyle& style, std::ostream& out)
      : card_(card), style_(style), out_(out) {}

  void Print() {
    PrintFacts();
    PrintQuantities();
    if (!card_.collectives.empty()) PrintCurve(card_.collectives.back());
    if (card_.watch) PrintWatch(*card_.watch);
    if (card_.expectation) PrintExpectation(*card_.expectation);
  }

 private:
  std::string Paint(const char* code, const std::string& text) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  void Line(const std::string& text) { out_ << Wrap(text, style_.width, 2) << '\n'; }

  void PrintFacts() {
    const TopologyFacts& topology = card_.topology;
    std::string title = card_.host.name;
    if (card_.cloud)
      title += fmt::format(" ({})", Joined({card_.cloud->provider, card_.cloud->instance.value_or("")}));
    const auto memory = card_.host.memory_bytes ? card_.host.memory_bytes : topology.memory_bytes;
    const std::string parts = Joined({card_.host.cpu.value_or(""), Counted(topology.packages, "package"),
                                      Counted(topology.numa_nodes, "NUMA node"),
                                      Counted(topology.cores, "core"), Counted(topology.threads, "thread"),
                                      memory ? FormatBytes(static_cast<double>(*memory)) : ""});
    out_ << Paint("1", Wrap(fmt::format("{}: {}", title, parts), style_.width, 2)) << '\n';
    std::vector<std::string> caches;
    for (const CacheFacts& cache : topology.caches) caches.push_back(CacheText(cache));
    if (!caches.empty()) Line("caches: " + Joined(caches));
    for (const GpuFacts& gpu : card_.gpus) Line("GPU: " + GpuText(gpu));
    for (const InterfaceFacts& interface : card_.interfaces) Line(InterfaceText(interface));
  }

  void PrintQuantities() {
    out_ << '\n';
    for (const Quantity& quantity : QuantitiesOf(card_)) {
      if (quantity.basis != kMeasured) continue;
      out_ << PadRight(quantity.name, kNameColumns)
           << PadLeft(QuantityText(quantity.value, quantity.unit, style_), kValueColumns) << '\n';
    }
    for (const AbsentPart& absent : card_.absent) Line(fmt::format("no {}: {}", absent.part, absent.reason));
    if (card_.disk && !card_.disk->cache_reason.empty()) {
      Line(fmt::format("note: the disk reads were {}: {}", card_.disk->cache, card_.disk->cache_reason));
    }
    if (card_.steal_share.value_or(0) > kWorthSaying) {
      Line(fmt::format("note: the hypervisor gave {:.0f} % of the cores' time to other machines meanwhile",
                       100 * *card_.steal_share));
    }
    int disturbed = card_.disturbed_blocks;
    for (const CollectiveCurve& curve : card_.collectives) disturbed += curve.disturbed_blocks;
    if (disturbed > 0) {
      Line(
          fmt::format("note: others took processor time from {} blocks, also when they were run again; "
                      "an idle machine has narrower intervals",
                      disturbed));
    }
    if (card_.rounds > 0) {
      Line(fmt::format(
          "{} rounds; intervals: where another probe as long would be, 19 times of 20; stopped by {}",
          card_.rounds, card_.stopped_by));
    }
  }

  /// The one with the most ranks; the others are in the document.
  void PrintCurve(const CollectiveCurve& curve) {
    const std::string where =
        curve.nodes == 1 ? "in this machine" : fmt::format("on {} machines", curve.nodes);
    out_ << '\n' << Paint("1", fmt::format("all-reduce of {} ranks {}", curve.ranks, where)) << '\n';
    CurveRow("message", "time", "algorithm", "bus");
    for (const CollectivePoint& point : curve.points) {
      CurveRow(FormatBytes(static_cast<double>(point.bytes)), FormatSeconds(point.time_s.mean),
               FormatBytes(point.algorithm_bytes_per_s) + "/s", FormatBytes(point.bus_bytes_per_s) + "/s");
    }
    for (const AbsentSize& size : curve.absent) {
      Line(fmt::format("no {}: {}", FormatBytes(static_cast<double>(size.bytes)), size.reason));
    }
    if (curve.fit) {
      const std::string rate =
          curve.fit->bytes_per_s ? QuantityText(*curve.fit->bytes_per_s, "B/s", style_) : "no bandwidth";
      Line(fmt::format("link: latency {}, {}; the fit errs by {:.0f} % in the median, {:.0f} % at most",
                       QuantityText(curve.fit->latency_s, "s", style_), rate, 100 * curve.fit->median_error,
                       100 * curve.fit->worst_error));
    } else if (curve.no_fit) {
      Line("no fit: " + *curve.no_fit);
    }
  }

  void CurveRow(const std::string& size, const std::string& time, const std::string& algorithm,
                const std::string& bus) {
    out_ << PadLeft(size, kSizeColumns) << PadLeft(time, kTimeColumns) << PadLeft(algorithm, kRateColumns)
         << PadLeft(bus, kRateColumns) << '\n';
  }

  void PrintWatch(const WatchResult& watch) {
    out_ << '\n' << Paint("1", "watched for " + FormatDuration(Seconds(watch.duration_s))) << '\n';
    for (const Drift& drift : watch.drifts) {
      const bool moved = !drift.change.HoldsZero();
      out_ << PadRight(drift.quantity, kNameColumns)
           << PadLeft(ShareText(drift.change, style_), kValueColumns) << "  "
           << (moved ? Paint("33", drift.change.mean < 0 ? "fell" : "rose") : "no drift seen") << '\n';
    }
    for (const Outlier& outlier : watch.outliers) {
      Line(fmt::format("outlier: {} at {}: {:.0f} % of its median", outlier.quantity,
                       FormatDuration(Seconds(outlier.at_s)), 100 * outlier.value / outlier.median));
    }
  }

  void PrintExpectation(const Expectation& expectation) {
    out_ << '\n'
         << Paint("1", fmt::format("against {}, at least {:g} % of it", expectation.of,
                                   100 * expectation.fail_below))
         << '\n';
    Row("", "found", "expected", "share", "");
    for (const ExpectedLine& line : expectation.lines) {
      const char* color = line.verdict == "met" ? "32" : line.verdict == "missed" ? "31" : "33";
      Row(line.quantity, line.found ? QuantityText(*line.found, line.unit, style_) : "-",
          OneValue(line.expected.mean, line.unit),
          line.share ? fmt::format("{:.0f} %", 100 * *line.share) : "-", Paint(color, line.verdict));
    }
    out_ << '\n' << Wrap(ExpectationVerdict(expectation), style_.width, 0) << '\n';
  }

  void Row(const std::string& name, const std::string& found, const std::string& expected,
           const std::string& share, const std::string& verdict) {
    out_ << PadRight(name, kNameColumns) << PadLeft(found, kValueColumns)
         << PadLeft(expected, kExpectedColumns) << PadLeft(share, kShareColumns) << "  " << verdict << '\n';
  }

  const MachineCard& card_;
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace

void PrintMachine(const MachineCard& card, const TextStyle& style, std::ostream& out) {
  CardPrinter(card, style, out).Print();
}

std::string QuantityText(const Estimate& value, const std::string& unit, const TextStyle& style) {
  const std::string mean = OneValue(value.mean, unit);
  if (value.low == value.high) return mean;
  // A share of the mean reads quicker than two numbers with units of their own.
  return fmt::format("{} {} {:.1f} %", mean, style.utf8 ? "±" : "+-",
                     value.mean == 0 ? 0 : 100 * value.HalfWidth() / std::abs(value.mean));
}

std::string ExpectationVerdict(const Expectation& expectation) {
  std::vector<std::string> missed;
  std::vector<std::string> unsure;
  std::size_t absent = 0;
  for (const ExpectedLine& line : expectation.lines) {
    if (line.verdict == "missed") {
      missed.push_back(fmt::format("{} ({:.0f} %)", line.quantity, 100 * line.share.value_or(0)));
    }
    if (line.verdict == "unsure") unsure.push_back(line.quantity);
    if (line.verdict == "absent") ++absent;
  }
  const std::size_t compared = expectation.lines.size() - absent;
  std::string text = missed.empty()
                         ? fmt::format("None of {} quantities is below {:g} % of {}", compared,
                                       100 * expectation.fail_below, expectation.of)
                         : fmt::format("{} of {} quantities: {} below {:g} % of {}", missed.size(), compared,
                                       Joined(missed), 100 * expectation.fail_below, expectation.of);
  if (!unsure.empty()) text += fmt::format("; probably, but too noisy to say: {}", Joined(unsure));
  if (absent > 0) text += fmt::format("; {} could not be compared", absent);
  return text + ".";
}

}  // namespace stallscope
