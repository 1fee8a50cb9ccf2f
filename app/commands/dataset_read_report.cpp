#include "app/commands/dataset_read_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/commands/dataset.h"
#include "stallscope/base/units.h"

namespace stallscope {
namespace {

const char* Plural(std::size_t count) {
  return count == 1 ? "" : "s";
}

void PrintChoice(const WorkerChoice& choice) {
  for (const WorkerTrial& trial : choice.trials)
    fmt::print("tried       {} worker{}: a step waits {}\n", trial.workers,
               Plural(static_cast<std::size_t>(trial.workers)), FormatSeconds(trial.wait_s));
  if (choice.workers) {
    fmt::print("enough      {} worker{} (a step waits at most {:.0f} % of its time)\n", *choice.workers,
               Plural(static_cast<std::size_t>(*choice.workers)), 100 * kHiddenWait);
  } else {
    fmt::print("not enough  {} workers, one per core, do not keep up with this step time\n",
               choice.trials.back().workers);
  }
}

}  // namespace

void PrintRead(const ReadReport& report) {
  const ReadResult& result = report.result;
  if (report.choice) PrintChoice(*report.choice);
  const double samples = static_cast<double>(std::max<std::size_t>(1, result.samples));
  fmt::print("speed       {:.0f} samples/s with {} worker{}, {:.0f} per worker\n", result.samples_per_s(),
             result.workers, Plural(static_cast<std::size_t>(result.workers)), result.samples_per_worker_s());
  fmt::print("read        {} per sample\n", FormatSeconds(result.read_s / samples));
  fmt::print("decode      {} per sample\n", FormatSeconds(result.decode_s / samples));
  if (result.wait_s && report.options.step_time.count() > 0)
    fmt::print("wait        {} per step of {}\n", FormatSeconds(*result.wait_s),
               FormatSeconds(report.options.step_time.count()));
  fmt::print("amount      {} of {} samples, {}", result.samples, report.samples_in_set,
             FormatBytes(static_cast<double>(result.bytes)));
  if (result.device_bytes)
    fmt::print(", {} of it from the device", FormatBytes(static_cast<double>(*result.device_bytes)));
  fmt::print(" in {}{}\n", FormatSeconds(result.elapsed_s),
             result.stopped_by == "end" ? "" : " (stopped by " + result.stopped_by + ")");
  if (report.options.cache != CacheState::kAny) {
    fmt::print("cache       {}, {}{}{}\n", result.cache.state,
               result.cache.verified ? "verified" : "not verified as " + CacheStateName(report.options.cache),
               result.cache.reason.empty() ? "" : ": ", result.cache.reason);
  }
  if (result.loader.bad > 0) {
    fmt::print("bad         {} file{}, replaced by the next\n", result.loader.bad, Plural(result.loader.bad));
    for (const BadFile& bad : result.loader.first_bad)
      fmt::print("            '{}' {}\n", bad.path, bad.reason);
  }
  if (!result.change.empty()) fmt::print("changed     {}\n", result.change);
}

Json ReadToJson(const ReadReport& report) {
  const ReadResult& result = report.result;
  Json json = {{"workers", result.workers},
               {"batch", report.options.loader.batch},
               {"samples", result.samples},
               {"samples_in_set", report.samples_in_set},
               {"batches", result.batches},
               {"elapsed_s", result.elapsed_s},
               {"samples_per_s", result.samples_per_s()},
               {"samples_per_worker_s", result.samples_per_worker_s()},
               {"read_s", result.read_s},
               {"decode_s", result.decode_s},
               {"bytes", result.bytes}};
  if (result.device_bytes) json["device_bytes"] = *result.device_bytes;
  json["cache"] = {{"asked", CacheStateName(report.options.cache)},
                   {"state", result.cache.state},
                   {"verified", result.cache.verified},
                   {"reason", result.cache.reason},
                   {"attempts", result.attempts}};
  if (report.options.step_time.count() > 0) json["step_time_s"] = report.options.step_time.count();
  if (result.wait_s) json["wait_s"] = *result.wait_s;
  if (report.choice) {
    Json trials = Json::array();
    for (const WorkerTrial& trial : report.choice->trials)
      trials.push_back({{"workers", trial.workers}, {"wait_s", trial.wait_s}});
    json["auto"] = {{"hidden", report.choice->workers.has_value()}, {"trials", trials}};
  }
  json["bad"] = {{"count", result.loader.bad}, {"first", BadFilesToJson(result.loader.first_bad)}};
  json["stopped_by"] = result.stopped_by;
  if (!result.change.empty()) json["change"] = result.change;
  return json;
}

}  // namespace stallscope
