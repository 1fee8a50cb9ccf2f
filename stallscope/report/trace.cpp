#include "stallscope/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/report/clock_offsets.h"
#include "stallscope/report/run_blocks.h"
#include "stallscope/report/sample_series.h"
#include "stallscope/report/trace_events.h"

namespace stallscope {
namespace {

struct Part {
  const char* name;
  double StepRecord::*seconds;
};
/// In the order of a step.
constexpr std::array kParts = {Part{"data wait", &StepRecord::data_wait_s},
                               Part{"copy", &StepRecord::copy_s},
                               Part{"forward", &StepRecord::forward_s},
                               Part{"backward", &StepRecord::backward_s},
                               Part{"exposed communication", &StepRecord::exposed_communication_s},
                               Part{"optimizer", &StepRecord::optimizer_s}};

constexpr int kStepTrack = 1;
constexpr int kLoaderTrack = 2;
constexpr int kFirstBucketTrack = 10;
/// Processes of a trace have numbers: ranks count from 1, and machines from here.
constexpr int kFirstMachine = 1000000;

class TraceOfRun {
 public:
  TraceOfRun(const ClockOffsets& clocks, double begin_s, TraceEvents& events)
      : clocks_(clocks), begin_s_(begin_s), events_(events) {}

  void Add(const RunBlock& block, std::size_t index) {
    for (const RunRank& rank : block.ranks) {
      if (rank.steps.empty()) continue;
      const double shift = clocks_.Of(index, rank.node).value_or(ClockOffset{}).ahead_s + begin_s_;
      AddRank(block, rank, shift);
    }
  }

 private:
  void AddRank(const RunBlock& block, const RunRank& rank, double shift) {
    const int process = rank.rank + 1;
    if (named_.insert(process).second) {
      events_.NameProcess(process, fmt::format("rank {} (machine {})", rank.rank, rank.node));
      events_.NameTrack(process, kStepTrack, "steps");
      events_.NameTrack(process, kLoaderTrack, "loader");
    }
    const auto at = [&](double time_s) { return NanosecondsOf(time_s - shift); };
    const StepRecord& last = rank.steps.back();
    // Rounding may let neighbours touch by a nanosecond; they are kept apart.
    const Span whole =
        events_.Place(process, kStepTrack, {at(rank.steps.front().start_s), at(last.start_s + last.total_s)});
    events_.Slice(
        process, kStepTrack, whole, block.condition,
        fmt::format("\"block\":{},\"round\":{},\"counts\":{},\"polluted\":{}", block.block,
                    block.round ? std::to_string(*block.round) : "null", block.counts, block.polluted));
    std::int64_t from = whole.begin;
    for (std::size_t i = 0; i < rank.steps.size(); ++i) {
      const StepRecord& step = rank.steps[i];
      Span span{std::max(at(step.start_s), from), std::min(at(step.start_s + step.total_s), whole.end)};
      if (i + 1 < rank.steps.size()) span.end = std::min(span.end, at(rank.steps[i + 1].start_s));
      span.end = std::max(span.end, span.begin);
      from = span.end;
      events_.Slice(process, kStepTrack, span, "step",
                    fmt::format("\"step\":{},\"condition\":\"{}\",\"counts\":{}", i,
                                JsonText(block.condition), block.counts && rank.counted[i]));
      AddParts(process, step, span);
      AddBuckets(process, step, at(step.start_s));
    }
  }

  void AddParts(int process, const StepRecord& step, const Span& span) {
    std::int64_t from = span.begin;
    for (const Part& part : kParts) {
      const std::int64_t to = std::min(from + NanosecondsOf(step.*part.seconds), span.end);
      if (to <= from) continue;
      events_.Slice(process, kStepTrack, {from, to}, part.name, "");
      if (part.seconds == &StepRecord::data_wait_s || part.seconds == &StepRecord::copy_s) {
        events_.Slice(process, kLoaderTrack, {from, to}, part.name, "");
      }
      from = to;
    }
  }

  void AddBuckets(int process, const StepRecord& step, std::int64_t begin) {
    double computed_s = 0;
    for (const BucketTimes& bucket : step.buckets) computed_s = std::max(computed_s, bucket.ready_s);
    for (std::size_t i = 0; i < step.buckets.size(); ++i) {
      const BucketTimes& bucket = step.buckets[i];
      const int track = kFirstBucketTrack + static_cast<int>(i);
      if (buckets_.insert({process, track}).second) {
        events_.NameTrack(process, track, fmt::format("bucket {}", i + 1));
      }
      const auto at = [&](double time_s) { return begin + NanosecondsOf(time_s); };
      const Span whole = events_.Place(process, track, {at(bucket.ready_s), at(bucket.end_s)});
      events_.Slice(process, track, whole, fmt::format("bucket {}", i + 1),
                    fmt::format("\"bytes\":{}", bucket.bytes));
      const std::int64_t handed = std::clamp(at(bucket.begin_s), whole.begin, whole.end);
      const std::int64_t bare = std::clamp(at(std::max(bucket.begin_s, computed_s)), handed, whole.end);
      if (handed > whole.begin) events_.Slice(process, track, {whole.begin, handed}, "queued", "");
      if (bare > handed) events_.Slice(process, track, {handed, bare}, "hidden transfer", "");
      if (whole.end > bare) events_.Slice(process, track, {bare, whole.end}, "exposed transfer", "");
    }
  }

  const ClockOffsets& clocks_;
  double begin_s_;
  TraceEvents& events_;
  std::set<int> named_;
  std::set<std::pair<int, int>> buckets_;
};

void AddSamples(const std::filesystem::path& folder, const std::map<int, double>& shifts,
                TraceEvents& events) {
  std::set<int> named;
  ForEachSample(folder, [&](const SampledValue& sample) {
    const auto shift = shifts.find(sample.node);
    if (shift == shifts.end()) return;
    const int process = kFirstMachine + sample.node;
    if (named.insert(process).second) {
      events.NameProcess(process, fmt::format("machine {}: resources", sample.node));
    }
    events.Counter(process, NanosecondsOf(sample.time_s - shift->second),
                   fmt::format("{} ({})", sample.quantity, sample.unit), sample.value);
  });
}

Json ClockJson(const ClockOffsets& clocks) {
  Json json = Json::array();
  for (const auto& [node, offset] : clocks.Worst()) {
    json.push_back(
        {{"machine", node}, {"ahead_of_machine_0_s", offset.ahead_s}, {"error_s", offset.error_s}});
  }
  return json;
}

}  // namespace

void WriteTrace(const ReportDocument& document, const std::filesystem::path& folder, std::ostream& out) {
  if (document.kind != "profile") {
    throw Error(fmt::format("'{}' is a {}, and traces are made of runs", document.source, document.kind),
                "give the --out folder of stallscope profile or stallscope run");
  }
  if (!std::filesystem::exists(folder / "steps.csv")) {
    throw Error(fmt::format("there is no steps.csv beside '{}'", document.source),
                "give the whole --out folder of the run");
  }
  std::vector<std::string> conditions;
  for (const auto& [name, rung] : document.json["conditions"].items()) conditions.push_back(name);
  ClockOffsets clocks(document.json["cluster"].value("emulated", false));
  RunBlock block;
  double begin_s = std::numeric_limits<double>::infinity();
  std::map<int, double> shifts;  ///< of each machine's samples: the offset of the run's middle
  for (RunBlocks blocks(folder, conditions, true); blocks.Next(block);) {
    clocks.Add(block);
    for (const RunRank& rank : block.ranks) {
      shifts[rank.node] = 0;
      if (rank.node == 0 && !rank.steps.empty()) begin_s = std::min(begin_s, rank.steps.front().start_s);
    }
  }
  if (!std::isfinite(begin_s)) begin_s = 0;
  for (auto& [node, shift] : shifts) shift = clocks.Of(0, node).value_or(ClockOffset{}).ahead_s + begin_s;
  TraceEvents events(out);
  TraceOfRun trace(clocks, begin_s, events);
  RunBlocks blocks(folder, conditions, true);
  for (std::size_t index = 0; blocks.Next(block); ++index) trace.Add(block, index);
  AddSamples(folder, shifts, events);
  events.Finish({{"tool", std::string("stallscope ") + STALLSCOPE_VERSION},
                 {"document", document.source},
                 {"clocks", ClockJson(clocks)}});
}

}  // namespace stallscope
