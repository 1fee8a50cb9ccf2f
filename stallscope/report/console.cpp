#include "stallscope/report/console.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "stallscope/base/units.h"
#include "stallscope/report/numbers.h"
#include "stallscope/report/summary_lines.h"

namespace stallscope {
namespace {

constexpr int kRungColumns = 9;
constexpr int kTimeColumns = 20;
constexpr int kShortTimeColumns = 11;
constexpr int kStallColumns = 15;
constexpr int kSecondsColumns = 18;
constexpr int kShareColumns = 17;
/// On narrower terminals the step times go without their intervals; profile.json has them.
constexpr int kWideEnough = 100;
constexpr std::size_t kMostFindings = 3;
constexpr const char* kIndistinguishable = "indistinguishable from zero";

class Table {
 public:
  Table(const Profile& profile, const TextStyle& style, std::ostream& out)
      : profile_(profile), style_(style), out_(out) {}

  void Print() {
    PrintTitle();
    Row("rung", "step time", "adds", "", "share of a step", "");
    const Stalls& stalls = profile_.stalls;
    base_ = true;
    Rung("solo", "", std::nullopt);
    Rung("crowd", "contention", stalls.contention);
    Rung("node", stalls.contention ? "communication" : "interconnect",
         stalls.contention ? stalls.communication : stalls.interconnect);
    if (stalls.contention && stalls.communication) StallRow("", "", "= interconnect", *stalls.interconnect);
    Rung("cluster", "network", stalls.network);
    Rung("warm", "prep", stalls.prep);
    if (stalls.prep && stalls.copy) StallRow("", "", "of it copy", *stalls.copy);
    Rung("cold", "fetch", stalls.fetch);
  }

 private:
  bool Wide() const { return style_.width >= kWideEnough; }
  int TimeColumns() const { return Wide() ? kTimeColumns : kShortTimeColumns; }

  std::string Paint(const char* code, const std::string& text) const {
    return style_.color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  void PrintTitle() {
    const WorkloadInfo& workload = profile_.workload;
    const ClusterInfo& cluster = profile_.cluster;
    const std::string unverified =
        profile_.rounds_unverified > 0 ? fmt::format(", {} unverified", profile_.rounds_unverified) : "";
    const std::string title =
        Wrap(fmt::format("{}, batch {} per device, {} machine{} with {} device{}{} ({}, {}{})",
                         workload.model, workload.batch_per_device, cluster.nodes,
                         cluster.nodes == 1 ? "" : "s", cluster.devices_per_node,
                         cluster.devices_per_node == 1 ? "" : "s", cluster.nodes == 1 ? "" : " each",
                         cluster.device, cluster.backend, cluster.emulated ? ", emulated" : ""),
             style_.width, 2);
    const std::size_t name = title.starts_with(workload.model) ? workload.model.size() : 0;
    out_ << Paint("1", title.substr(0, name)) << title.substr(name) << '\n'
         << Wrap(fmt::format("{:.1f} samples/s; {} rounds kept, {} dropped{}; stopped by {}",
                             profile_.samples_per_s.mean, profile_.rounds_kept, profile_.rounds_dropped,
                             unverified, profile_.stopped_by),
                 style_.width, 2)
         << "\n\n";
  }

  void Row(const std::string& rung, const std::string& time, const std::string& stall,
           const std::string& seconds, const std::string& share, const std::string& rest) {
    std::string line = PadRight(rung, kRungColumns) + PadRight(time, TimeColumns()) +
                       PadRight(stall, kStallColumns) + PadLeft(seconds, kSecondsColumns) + "  " +
                       PadLeft(share, kShareColumns) + "  " + rest;
    line.erase(line.find_last_not_of(' ') + 1);
    out_ << line << '\n';
  }

  void StallRow(const std::string& rung, const std::string& time, const std::string& name,
                const Stall& stall) {
    const int used = kRungColumns + TimeColumns() + kStallColumns + kSecondsColumns + kShareColumns + 2;
    const int room = std::max(6, style_.width - used);
    const std::string bar =
        Paint(stall.distinguishable ? "33" : "2", Bar(stall.share.mean, room, style_.utf8));
    Row(rung, time, name, TimeText(stall.seconds, style_), ShareText(stall.share, style_), bar);
    if (!stall.distinguishable) Row("", "", Paint("2", kIndistinguishable), "", "", "");
  }

  void Rung(const std::string& name, const char* adds, const std::optional<Stall>& stall) {
    const auto found = profile_.conditions.find(name);
    if (found == profile_.conditions.end()) {
      for (const AbsentCondition& absent : profile_.absent) {
        if (absent.condition != name) continue;
        std::istringstream reason(Wrap("absent: " + absent.reason, style_.width - kRungColumns, 0));
        std::string rung = name;
        for (std::string line; std::getline(reason, line); rung.clear()) {
          Row(rung, Paint("2", line), "", "", "", "");
        }
      }
      return;
    }
    const Estimate& step_time = found->second.step_time_s;
    const std::string time = Wide() ? TimeText(step_time, style_) : FormatSeconds(step_time.mean);
    if (base_ && profile_.stalls.compute) {
      StallRow(name, time, "compute", *profile_.stalls.compute);
    } else if (stall) {
      StallRow(name, time, adds, *stall);
    } else {
      Row(name, time, "", "", "", "");
    }
    base_ = false;
  }

  const Profile& profile_;
  const TextStyle& style_;
  std::ostream& out_;
  bool base_ = true;  ///< no rung printed yet: the next one is what the ladder stands on
};

}  // namespace

void PrintProfile(const Profile& profile, const TextStyle& style, std::ostream& out) {
  Table(profile, style, out).Print();
  const std::vector<std::string> lines = SummaryLines(profile, style);
  if (!lines.empty()) out << '\n';
  for (const std::string& line : lines) out << Wrap(line, style.width, 2) << '\n';
  out << '\n' << Wrap(Verdict(profile), style.width, 0) << '\n';
  const std::size_t count = std::min(profile.findings.size(), kMostFindings);
  for (std::size_t i = 0; i < count; ++i) {
    const Finding& finding = profile.findings[i];
    out << '\n'
        << Wrap(fmt::format("{}: {}.", ToString(finding.severity), finding.what), style.width, 2) << "\n  "
        << Wrap(fmt::format("why: {}.", finding.why), style.width - 2, 4) << "\n  "
        << Wrap(fmt::format("advice: {}.", finding.advice), style.width - 2, 4) << '\n';
  }
  if (profile.findings.size() > count) {
    out << fmt::format("\n{} more in profile.json.\n", profile.findings.size() - count);
  }
}

}  // namespace stallscope
