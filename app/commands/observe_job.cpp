#include "app/commands/observe_job.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/page_file.h"
#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/engine/rank_message.h"
#include "stallscope/hook/hook_files.h"
#include "stallscope/hook/hook_launch.h"
#include "stallscope/hook/observed_file.h"
#include "stallscope/ladder/observed_steps.h"
#include "stallscope/machine/host.h"
#include "stallscope/report/observation_console.h"
#include "stallscope/supervise/line_buffer.h"
#include "stallscope/supervise/signal_inbox.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/watchdog.h"

namespace stallscope {
namespace {

constexpr double kWriteEvery_s = 10;
constexpr int kPollMilliseconds = 500;
/// Once one rank has failed, for the others to end by themselves.
constexpr Seconds kGrace{5};

class ObserveJob {
 public:
  ObserveJob(const RunOptions& options, const std::vector<std::string>& argv, const Program& program,
             const LaunchPlan& plan, const std::filesystem::path& folder)
      : options_(options), folder_(folder), observed_(folder / "observed"), steps_(Ranks(plan)) {
    WriteHookFiles(temporary_.path() / "python");
    std::filesystem::create_directories(observed_);
    document_.tool.version = STALLSCOPE_VERSION;
    document_.created = UtcNow();
    document_.argv = argv;
    document_.host = ReadHost(Root{});
    document_.program = program.name;
    document_.ranks = Ranks(plan);
    Start(program, plan);
  }

  int Run() {
    double written_s = MonotonicSeconds();
    while (!AllEnded()) {
      Wait();
      HandOnSignals();
      EndAfterAFailure();
      if (MonotonicSeconds() - written_s > kWriteEvery_s) {
        written_s = MonotonicSeconds();
        Write();
      }
    }
    document_.finished = true;
    document_.exit_status = ExitStatusOfAll();
    Write();
    const std::string text = ToJson(document_);
    WriteJson(options_.output, text);
    WriteDocumentPage(options_.html, text, folder_ / "observation.json");
    if (options_.output.ShowText())
      PrintObservation(document_, options_.output.StyleOf(STDOUT_FILENO), std::cout);
    if (!unseen_.empty()) Say(options_.output, "warning: " + unseen_);
    return *document_.exit_status;
  }

 private:
  struct Rank {
    int number = 0;
    ChildProcess process;
    LineBuffer events{std::size_t{1} << 20};
    ObservedFile rows;
    std::optional<ExitStatus> ended;
  };

  /// Those that this command starts; a launcher's other ranks have commands, and documents, of their own.
  static int Ranks(const LaunchPlan& plan) { return static_cast<int>(plan.local_ranks.size()); }

  void Start(const Program& program, const LaunchPlan& plan) {
    HookLaunch launch;
    launch.program = &program;
    launch.files = temporary_.path() / "python";
    launch.folder = temporary_.path();
    launch.mode = "observe";
    launch.nodes = plan.nodes;
    launch.devices_per_node = plan.devices_per_node;
    launch.shares_cores = plan.devices_per_node > 1;
    launch.outside = !plan.launcher.empty();
    launch.master_addr = plan.master_addr.empty() ? "127.0.0.1" : plan.master_addr;
    launch.master_port = plan.master_port > 0 ? plan.master_port : FreePort();
    launch.allow_writes = true;
    launch.observed = std::filesystem::absolute(observed_);
    for (const int local_rank : plan.local_ranks) {
      RankStart start = HookRank(launch, plan.node, local_rank, ProcessEnvironment());
      // As without us: the program's output is the user's.
      start.child.log_file.clear();
      start.child.output_fd = options_.output.JsonOnStdout() ? STDERR_FILENO : STDOUT_FILENO;
      start.child.error_fd = STDERR_FILENO;
      start.child.watchdog = &watchdog_;
      ranks_.push_back({.number = start.rank,
                        .process = ChildProcess(start.child),
                        .rows = ObservedFile(observed_ / fmt::format("rank{}.csv", start.rank))});
    }
  }

  bool AllEnded() const {
    return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ended.has_value(); });
  }

  void Wait() {
    std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
    for (const Rank& rank : ranks_) {
      if (!rank.ended) polled.push_back({rank.process.exit_fd(), POLLIN, 0});
    }
    poll(polled.data(), polled.size(), kPollMilliseconds);
    for (Rank& rank : ranks_) {
      if (rank.ended) continue;
      // Nobody else reads what the hook says, and a full pipe would hold it up.
      rank.events.ReadFrom(rank.process.event_fd());
      while (const auto line = rank.events.Next()) TakeEvent(*line);
      rank.ended = rank.process.Poll();
    }
  }

  void TakeEvent(const std::string& line) {
    const auto event = ParseRankEvent(line);
    if (!event || event->at("event") != "unseen") return;
    unseen_ = event->value("why", "");
    if (const std::string hint = event->value("hint", ""); !hint.empty()) unseen_ += "; " + hint;
  }

  /// Ctrl-C and SIGTERM are the program's, which may want to save its work; the command waits for its end.
  void HandOnSignals() {
    const auto signal = signals_.Read().first();
    if (!signal || handed_on_) return;
    handed_on_ = true;
    for (Rank& rank : ranks_) {
      if (!rank.ended) rank.process.Signal(*signal);
    }
  }

  void EndAfterAFailure() {
    const bool failed = std::any_of(ranks_.begin(), ranks_.end(),
                                    [](const Rank& rank) { return rank.ended && !rank.ended->ok(); });
    if (!failed || handed_on_) return;
    if (failed_s_ == 0) failed_s_ = MonotonicSeconds();
    if (MonotonicSeconds() - failed_s_ < kGrace.count()) return;
    for (Rank& rank : ranks_) {
      if (!rank.ended) rank.ended = rank.process.Terminate(kGrace);
    }
  }

  int ExitStatusOfAll() const {
    for (const Rank& rank : ranks_) {
      if (!rank.ended->ok()) return rank.ended->ShellCode();
    }
    return 0;
  }

  void Write() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) ReadRows(static_cast<int>(i), ranks_[i]);
    steps_.Fill(document_);
    try {
      WriteFileAtomically(folder_ / "observation.json", ToJson(document_));
    } catch (const Error& e) {
      Say(options_.output, fmt::format("warning: {}; {}", e.what(), e.hint));
    }
  }

  void ReadRows(int place, Rank& rank) {
    while (const auto line = rank.rows.Next()) {
      if (const auto step = ParseObservedStep(*line)) steps_.Add(place, *step);
    }
  }

  const RunOptions& options_;
  std::filesystem::path folder_;
  std::filesystem::path observed_;
  Watchdog watchdog_;
  SignalInbox signals_;
  TemporaryFolder temporary_{&watchdog_};
  std::vector<Rank> ranks_;
  ObservedSteps steps_;
  Observation document_;
  std::string unseen_;
  bool handed_on_ = false;
  double failed_s_ = 0;
};

}  // namespace

int ObserveProgram(const RunOptions& options, const std::vector<std::string>& argv, const Program& program,
                   const LaunchPlan& plan, const std::filesystem::path& folder) {
  return ObserveJob(options, argv, program, plan, folder).Run();
}

}  // namespace stallscope
