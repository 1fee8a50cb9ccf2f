#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "app/commands/engine_ranks.h"
#include "app/commands/profile_job.h"
#include "app/document_header.h"
#include "app/page_file.h"
#include "app/profile_delivery.h"
#include "app/status_line.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/ladder/accuracy.h"
#include "stallscope/report/self_test_report.h"

namespace stallscope {
namespace {

std::optional<BytesPerSecond> Rate(std::optional<double> bytes_per_s) {
  return bytes_per_s ? std::optional(BytesPerSecond{*bytes_per_s}) : std::nullopt;
}

/// About seventy blocks make a round, and some rounds are wanted however short the time is.
double BlockTarget(Seconds max_time) {
  return std::clamp(max_time.count() / 300, 0.2, 0.8);
}

/// Sets links and disk, and leaves alone what is set already: a change takes a process each.
class Arranger {
 public:
  Arranger(EmulatedMachines& machines, BytesPerSecond network) : machines_(machines), network_(network) {}

  void Arrange(const InjectionCase& injected, Condition condition) {
    const double outer = injected.network_bytes_per_s.value_or(network_.value);
    if (outer != outer_) machines_.network().SetRate(BytesPerSecond{outer});
    outer_ = outer;
    if (injected.node_bytes_per_s != inner_)
      machines_.network().SetRate(Rate(injected.node_bytes_per_s), LabLink::kInner);
    inner_ = injected.node_bytes_per_s;
    // A warm block reads its files in before it begins, and must not be slowed in that.
    const auto disk = condition == Condition::kCold ? injected.disk_bytes_per_s : std::nullopt;
    if (machines_.disk() != nullptr && disk != disk_) machines_.disk()->SetRate(Rate(disk));
    disk_ = disk;
  }

 private:
  EmulatedMachines& machines_;
  BytesPerSecond network_;
  double outer_ = 0;
  std::optional<double> inner_;
  std::optional<double> disk_;
};

}  // namespace

int ProfileJob::SelfTest(const std::filesystem::path& folder) {
  EmulateOption emulate = *options_.emulate;
  // The disk's share of the proof needs a cgroup; without one the rest is proven. Its rate comes with its
  // case.
  const std::optional<std::string> no_disk = DiskThrottleUnavailable(options_.data->path);
  if (no_disk) {
    Say(options_.output, "the disk cannot be slowed by a cgroup here, and is left out: " + *no_disk);
  } else {
    emulate.disk = BytesPerSecond{1e9};
  }
  machines_.emplace(emulate, options_.data->path, watchdog_);
  JobMeeting meeting(plan_, options_.join_timeout, watchdog_, Interrupted());
  Say(options_.output, fmt::format("injecting stalls of known size into {}: about {}",
                                   options_.WorkloadName(), FormatDuration(options_.max_time)));
  RankTeam team(RankStarts(folder / "log", meeting), signals_, watchdog_);
  const WorkloadFacts facts = WorkloadFactsFromJson(WaitForRanks(team, meeting));

  Arranger arranger(*machines_, *emulate.bandwidth);
  const MeasureOptions measure = MeasureOptionsFor(RungsOfJob(plan_, options_), folder);
  SelfTestOptions test{.layout = measure.layout,
                       .data = *measure.data,
                       .gradient_bytes = static_cast<double>(facts.gradient_bytes),
                       .network_bytes_per_s = emulate.bandwidth->value,
                       .limits_disk = !no_disk,
                       .cores_per_machine = measure.cores_per_machine,
                       .max_time_s = options_.max_time.count(),
                       .seed = options_.training.seed,
                       .block_target_s = BlockTarget(options_.max_time)};
  test.interrupted = Interrupted();
  test.arrange = [&](const InjectionCase& injected, Condition condition) {
    arranger.Arrange(injected, condition);
  };
  const SelfTestResult result = [&] {
    StatusLine line(options_.output);
    test.progress = [&](const std::string& text) { line.Show([&] { return text; }); };
    return RunSelfTest(team, test);
  }();
  team.Stop(kExitOk);
  if (result.cells.empty()) {
    Say(options_.output, "interrupted before two rounds were finished: there is nothing to report");
    return SignalExitCode().value_or(kExitFailed);
  }
  Json document = DocumentHeader("stallscope.self-test/1", argv_, options_.training.seed);
  document.update(SelfTestToJson(result));
  const std::string text = document.dump(2) + "\n";
  WriteFileAtomically(folder / "self-test.json", text);
  WriteJson(options_.output, text);
  WriteDocumentPage(options_.html, text, folder / "self-test.json");
  if (options_.output.ShowText()) PrintSelfTest(result, options_.output.StyleOf(STDOUT_FILENO), std::cout);
  if (const auto signal = SignalExitCode()) return *signal;
  return result.PassedShare() >= kSelfTestShare ? kExitOk : kExitThresholdMissed;
}

}  // namespace stallscope
