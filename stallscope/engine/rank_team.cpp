#include "stallscope/engine/rank_team.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/rank_message.h"
#include "stallscope/supervise/line_buffer.h"
#include "stallscope/supervise/log_tail.h"

namespace stallscope {
namespace {

using nlohmann::json;

/// A block of many ranks with a bucket per tensor is megabytes of JSON.
constexpr std::size_t kLongestEvent = std::size_t{1} << 30;
constexpr Seconds kPollTime{0.25};
/// A lost rank takes its peers' connections with it within this time; then the cause is picked.
constexpr Seconds kGatherCauses{1.5};

std::string LogTail(const std::filesystem::path& log_file) {
  const std::vector<std::string> lines = LastLines(log_file, 3);
  if (lines.empty()) return fmt::format("its log {} is empty", log_file.string());
  return fmt::format("its log {} ends with: {}", log_file.string(), fmt::join(lines, " | "));
}

}  // namespace

struct RankTeam::Rank {
  int number = 0;
  std::filesystem::path log_file;
  ChildProcess process;
  LineBuffer lines{kLongestEvent};
  double last_sign_s = MonotonicSeconds();
  bool has_beaten = false;
  std::int64_t step = 0;
  std::string place;   ///< what it was doing at its last heartbeat, where it says so
  std::string unseen;  ///< what it still looks for in a program of the user's
  bool ready = false;
  bool stopped = false;
  std::optional<json> failure;
  std::optional<ExitStatus> ended;
};

RankStart EngineRank(const std::filesystem::path& engine, const EngineConfig& config) {
  RankStart start{.rank = config.rank, .first_line = ToJson(config).dump()};
  start.child.argv = {engine.string(), "--rank"};
  // One thread each: ranks share the machine as they would in the user's job.
  start.child.set_environment = {{"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}};
  return start;
}

RankTeam::RankTeam(const std::vector<RankStart>& ranks, SignalInbox& signals, Watchdog& watchdog)
    : RankTeam(ranks, signals, watchdog, Limits{}) {}

RankTeam::RankTeam(const std::vector<RankStart>& ranks, SignalInbox& signals, Watchdog& watchdog,
                   const Limits& limits)
    : limits_(limits), signals_(signals), last_progress_s_(MonotonicSeconds()) {
  for (const RankStart& start : ranks) {
    ChildOptions options = start.child;
    options.watchdog = &watchdog;
    ranks_.push_back({.number = start.rank, .log_file = options.log_file, .process = ChildProcess(options)});
    if (!start.first_line.empty()) ranks_.back().process.SendLine(start.first_line);
  }
}

RankTeam::~RankTeam() {
  // ChildProcess kills on destruction; together they would do so one after another.
  Kill();
}

void RankTeam::Kill() {
  if (watch_ != nullptr && !stopping_) {
    watch_->SayLoss({.what = fmt::format("the command of rank {} has failed", ranks_.front().number)});
  }
  EndRanks();
}

void RankTeam::StopWithinBlock(int exit_code) {
  stopping_ = true;
  if (watch_ != nullptr) watch_->SayEnd(exit_code);
  EndRanks();
}

void RankTeam::Fail(const Error& error, bool consequence) {
  if (watch_ != nullptr) {
    const auto kind = consequence ? MachineLoss::Kind::kConsequence : MachineLoss::Kind::kTold;
    watch_->SayLoss({.kind = kind, .what = error.what(), .exit_code = error.exit_code});
  }
  throw error;
}

void RankTeam::EndRanks() {
  for (Rank& rank : ranks_) {
    if (!rank.process.Poll()) rank.process.Signal(SIGKILL);
  }
}

json RankTeam::WaitUntilReady(Seconds limit) {
  const double deadline = MonotonicSeconds() + limit.count();
  double signal_seen_s = 0;
  const auto all_ready = [&] {
    return std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.ready; });
  };
  while (!all_ready()) {
    Pump(kPollTime);
    CheckAlive();
    if (const auto signal = signals_.Read().first())
      Fail(Error("interrupted before the first round", "run it again", ExitCode(128 + *signal)));
    CheckSignals(signal_seen_s);
    if (MonotonicSeconds() > deadline) {
      Fail(Error(fmt::format("the ranks did not meet within {}", FormatDuration(limit)),
                 "check that all machines run the same command, that they reach each other over --interface, "
                 "or raise --join-timeout"));
    }
  }
  const json ready = TakeEvent("ready").value();
  json workload = ReadRankMessage("a start", [&] { return ready.at("workload"); });
  events_.clear();  // the other ranks say the same
  return workload;
}

BlockResult RankTeam::Run(const BlockRequest& request) {
  ranks_.front().process.SendLine(json{{"order", "block"}, {"block", ToJson(request)}}.dump());
  const json event = AwaitEvent("block", request.give_up_at_s);
  BlockResult result{.request = request, .ranks = {}};
  ReadRankMessage("a block", [&] {
    for (const json& rank : event.at("ranks")) result.ranks.push_back(RankBlockFromJson(rank));
  });
  return result;
}

std::vector<CollectiveReport> RankTeam::Run(const CollectiveRequest& request) {
  ranks_.front().process.SendLine(json{{"order", "collectives"}, {"collectives", ToJson(request)}}.dump());
  std::vector<CollectiveReport> reports;
  const json event = AwaitEvent("collectives");
  ReadRankMessage("times of all-reduces", [&] {
    for (const json& rank : event.at("ranks")) reports.push_back(CollectiveReportFromJson(rank));
  });
  return reports;
}

int RankTeam::WaitForStop() {
  double signal_seen_s = 0;
  std::optional<double> end_seen_s;
  for (;;) {
    if (const auto event = TakeEvent("stopped")) {
      stopping_ = true;
      return ReadRankMessage("an end", [&] { return event->at("exit_code").get<int>(); });
    }
    Pump(kPollTime);
    const std::optional<int> end = watch_ != nullptr ? watch_->end() : std::nullopt;
    if (!end) {
      CheckSignals(signal_seen_s);
      if (events_.empty()) CheckAlive();
      continue;
    }
    // The ranks may be within a block that rank 0's command has given up: then they never hear of it.
    if (!end_seen_s) end_seen_s = MonotonicSeconds();
    if (MonotonicSeconds() - *end_seen_s < limits_.stop.count()) continue;
    stopping_ = true;
    return *end;
  }
}

json RankTeam::AwaitEvent(const std::string& kind, double give_up_at_s) {
  double signal_seen_s = 0;
  for (;;) {
    if (auto event = TakeEvent(kind)) return std::move(*event);
    Pump(kPollTime);
    CheckSignals(signal_seen_s);
    if (events_.empty()) CheckAlive();
    if (MonotonicSeconds() > give_up_at_s) throw BlockOverdue("a block does not end", "measure again");
  }
}

void RankTeam::Stop(int exit_code) {
  stopping_ = true;
  if (watch_ != nullptr) watch_->SayEnd(exit_code);
  ranks_.front().process.SendLine(json{{"order", "stop"}, {"exit_code", exit_code}}.dump());
  const double deadline = MonotonicSeconds() + limits_.stop.count();
  for (Rank& rank : ranks_) {
    const double left = std::max(0.0, deadline - MonotonicSeconds());
    rank.ended = rank.process.Wait(Seconds(left));
    if (!rank.ended) rank.process.Signal(SIGKILL);
  }
}

void RankTeam::Pump(Seconds timeout) {
  std::vector<pollfd> polled = {{signals_.fd(), POLLIN, 0}};
  for (const Rank& rank : ranks_) {
    if (!rank.ended) polled.push_back({rank.process.event_fd(), POLLIN, 0});
  }
  // A rank that fell over leaves its descriptor readable; its end is noted below, once.
  poll(polled.data(), polled.size(), static_cast<int>(timeout.count() * 1000));
  for (Rank& rank : ranks_) {
    if (rank.ended) continue;
    const bool open = rank.lines.ReadFrom(rank.process.event_fd());
    while (const auto line = rank.lines.Next()) TakeLine(rank, *line);
    if (!open) rank.ended = rank.process.Wait(kGatherCauses);
  }
}

void RankTeam::TakeLine(Rank& rank, const std::string& line) {
  std::optional<json> parsed = ParseRankEvent(line);
  if (!parsed) return;
  json& event = *parsed;
  rank.last_sign_s = MonotonicSeconds();
  rank.has_beaten = true;
  const std::string kind = event.at("event");
  if (kind == "heartbeat") {
    const std::int64_t step = event.value("step", std::int64_t{0});
    if (step > rank.step) last_progress_s_ = MonotonicSeconds();
    rank.step = step;
    rank.place = event.value("place", "");
    rank.unseen = event.value("unseen", "");
    if (watch_ != nullptr) watch_->SetStep(step);
  } else if (kind == "failed") {
    rank.failure = std::move(event);
  } else if (kind == "watch") {
    Join(event.value("offer", ""));
  } else {
    rank.ready = rank.ready || kind == "ready";
    rank.stopped = rank.stopped || kind == "stopped";
    events_.push_back(std::move(event));
  }
}

void RankTeam::Join(const std::string& offer) {
  if (watch_ == nullptr) return;
  try {
    watch_->Join(offer);
  } catch (const Error&) {
    if (watch_required_) throw;
    watch_ = nullptr;
  }
}

std::optional<Seconds> RankTeam::TooLongSilent(const Rank& rank) const {
  const double silence_s = MonotonicSeconds() - rank.last_sign_s;
  if (rank.ended || silence_s <= limits_.heartbeat.count()) return std::nullopt;
  // One that is still loading has its time, unless it was stopped.
  if (rank.has_beaten || rank.process.IsStopped()) return limits_.heartbeat;
  if (silence_s > limits_.first_heartbeat.count()) return limits_.first_heartbeat;
  return std::nullopt;
}

void RankTeam::CheckAlive() {
  for (const Rank& rank : ranks_) {
    if (rank.failure || (rank.ended && !rank.stopped) || TooLongSilent(rank)) ThrowLoss();
  }
  if (watch_ != nullptr && watch_->loss()) ThrowLoss();
  CheckProgress();
}

void RankTeam::CheckProgress() {
  if (!limits_.progress || MonotonicSeconds() - last_progress_s_ < limits_.progress->count()) return;
  // The one that is furthest back; among equals, one that is not itself in a pass that waits for others.
  const auto behind = [](const Rank& a, const Rank& b) {
    const auto waits = [](const Rank& rank) { return rank.place == "in a backward pass"; };
    return std::pair(a.step, waits(a)) < std::pair(b.step, waits(b));
  };
  const Rank& rank = *std::min_element(ranks_.begin(), ranks_.end(), behind);
  if (rank.step == 0 && !rank.unseen.empty()) {
    Fail(Error(fmt::format("no training was seen for {}: rank {} is {}, and {}",
                           FormatDuration(*limits_.progress), rank.number, rank.place, rank.unseen),
               fmt::format("look at what it does there, or raise --timeout; {}", LogTail(rank.log_file))));
  }
  Fail(Error(fmt::format("no rank has made a step for {}: rank {} hangs {} after step {}",
                         FormatDuration(*limits_.progress), rank.number,
                         rank.place.empty() ? "somewhere" : rank.place, rank.step),
             fmt::format("look at what it does there, or raise --timeout; {}", LogTail(rank.log_file))));
}

void RankTeam::ThrowLoss() {
  const double deadline = MonotonicSeconds() + kGatherCauses.count();
  while (MonotonicSeconds() < deadline) Pump(Seconds(0.1));
  // A rank's own death or failure explains the lost connections of the others, not the other way round.
  for (const bool also_consequences : {false, true}) {
    const std::optional<MachineLoss> elsewhere = watch_ != nullptr ? watch_->loss() : std::nullopt;
    for (const Rank& rank : ranks_) {
      const auto cause = CauseOf(rank, also_consequences);
      if (!cause) continue;
      const bool spoke = rank.failure && !rank.failure->value("lost_connection", false);
      std::string hint = spoke ? rank.failure->value("hint", "") : LogTail(rank.log_file);
      if (!spoke && rank.ended && rank.ended->signal == SIGKILL)
        hint =
            "the kernel sends signal 9 where memory is short (see `dmesg`): try fewer ranks or a smaller "
            "batch; " +
            hint;
      // A program of the user's that failed has said more about it than we know.
      if (spoke && rank.failure->value("with_exit_status", false) && rank.ended && !rank.ended->ok())
        hint += "; " + LogTail(rank.log_file);
      Fail(Error(*cause, hint,
                 spoke ? ExitCode(rank.failure->value("exit_code", int{kExitFailed})) : kExitFailed),
           also_consequences);
    }
    if (elsewhere && (also_consequences || elsewhere->kind != MachineLoss::Kind::kConsequence)) {
      Fail(Error(elsewhere->what, "look at that machine, and at the output of its command",
                 ExitCode(elsewhere->exit_code)));
    }
  }
  Fail(Error("a rank was lost", "see the ranks' logs"));
}

std::optional<std::string> RankTeam::CauseOf(const Rank& rank, bool also_consequences) const {
  const std::string at_step =
      rank.step > 0 ? fmt::format(" at step {}", rank.step) : " before its first step";
  if (rank.failure) {
    const std::string message = rank.failure->value("message", "");
    const bool with_status = rank.failure->value("with_exit_status", false) && rank.ended;
    if (!rank.failure->value("lost_connection", false))
      return with_status ? fmt::format("{} ({})", message, rank.ended->Text()) : message;
    if (also_consequences) {
      return fmt::format("rank {} lost its connection to another rank{}", rank.number, at_step);
    }
    return std::nullopt;
  }
  if (rank.ended && !rank.stopped) {
    return fmt::format("rank {} ended with {}{}", rank.number, rank.ended->Text(), at_step);
  }
  if (const std::optional<Seconds> silence = TooLongSilent(rank)) {
    return fmt::format("rank {} has given no sign of life for {}{}: it was stopped, or its core is taken",
                       rank.number, FormatDuration(*silence), at_step);
  }
  return std::nullopt;
}

void RankTeam::CheckSignals(double& first_seen_s) {
  const SignalHistory& history = signals_.Read();
  if (!history.first()) return;
  const double now = MonotonicSeconds();
  if (first_seen_s == 0) first_seen_s = now;
  if (history.urgent() || now - first_seen_s > limits_.interrupt.count()) {
    Fail(Error("interrupted within a block", "finished rounds are kept", ExitCode(128 + *history.first())));
  }
}

std::optional<json> RankTeam::TakeEvent(const std::string& kind) {
  for (auto event = events_.begin(); event != events_.end(); ++event) {
    if (event->at("event") != kind) continue;
    json taken = std::move(*event);
    events_.erase(event);
    return taken;
  }
  return std::nullopt;
}

}  // namespace stallscope
