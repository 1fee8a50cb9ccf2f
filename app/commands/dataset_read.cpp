#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands/dataset.h"
#include "app/commands/dataset_read_report.h"
#include "app/output.h"
#include "app/watched_work.h"
#include "stallscope/base/units.h"
#include "stallscope/input/image_source.h"
#include "stallscope/input/read_block.h"
#include "stallscope/input/sampler.h"
#include "stallscope/input/token_source.h"
#include "stallscope/input/worker_search.h"

namespace stallscope {
namespace {

/// Evicting or filling more than this before a measurement of seconds would take longer than it.
constexpr std::size_t kMostPreparedSamples = 20'000;
constexpr std::int64_t kMostWorkers = 1024;
/// Steps that a trial of a number of workers counts, at least.
constexpr std::size_t kTrialSteps = 8;

struct ReadFlags {
  std::string path;
  std::string cache = "any";
  std::string workers;
  std::int64_t batch = 32;
  std::int64_t image_size = 224;
  std::int64_t sequence_length = 1024;
  std::string step_time;
  std::string max_time = "20s";
  std::string max_bad = "1%";
  bool follow = false;
  std::uint64_t seed = 1;
  OutputOptions output;

  bool Auto() const { return workers == "auto"; }
};

Seconds ReadTime(const std::string& text, const char* flag, const char* example) {
  const auto time = ParseDuration(text);
  if (!time || time->count() <= 0) {
    throw UsageError(fmt::format("{} '{}' is no time", flag, text), fmt::format("write it as {}", example));
  }
  return *time;
}

int ReadWorkers(const ReadFlags& flags) {
  if (flags.workers.empty() || flags.Auto()) return UsableCores();
  int workers = 0;
  const char* end = flags.workers.data() + flags.workers.size();
  const auto [stop, error] = std::from_chars(flags.workers.data(), end, workers);
  if (error != std::errc() || stop != end || workers < 1 || workers > kMostWorkers) {
    throw UsageError(fmt::format("--workers '{}' is no number of threads", flags.workers),
                     fmt::format("give 1 to {}, or auto", kMostWorkers));
  }
  return workers;
}

ReadOptions ReadFlagValues(const ReadFlags& flags) {
  CheckCount(flags.batch, 1, 65536, "--batch");
  CheckCount(flags.image_size, 1, 4096, "--image-size");
  CheckCount(flags.sequence_length, 1, 1 << 20, "--sequence-length");
  CheckJsonFile(flags.output);
  ReadOptions options{.cache = ParseCacheState(flags.cache)};
  options.loader.workers = ReadWorkers(flags);
  options.loader.batch = static_cast<std::size_t>(flags.batch);
  options.loader.seed = flags.seed;
  const auto share = ParseShare(flags.max_bad);
  if (!share || *share > 1) {
    throw UsageError(fmt::format("--max-bad '{}' is no share between 0 and 1", flags.max_bad),
                     "write it as 1% or 0.01");
  }
  options.loader.max_bad = *share;
  options.max_time = ReadTime(flags.max_time, "--max-time", "20s");
  if (!flags.step_time.empty()) options.step_time = ReadTime(flags.step_time, "--step-time", "100ms");
  if (flags.Auto() && flags.step_time.empty())
    throw UsageError("--workers auto needs the time of a training step",
                     "add --step-time, for example 100ms");
  return options;
}

std::unique_ptr<SampleSource> OpenSource(const ReadFlags& flags) {
  if (std::filesystem::is_regular_file(flags.path))
    return std::make_unique<TokenSource>(TokenFile(flags.path),
                                         static_cast<std::size_t>(flags.sequence_length));
  return std::make_unique<ImageSource>(ImageFolder::List(flags.path, flags.follow),
                                       static_cast<int>(flags.image_size));
}

/// The fewest workers that keep up with the step time, each number tried on its own part of the epoch.
WorkerChoice ChooseWorkers(const SampleSource& source, const std::vector<std::uint32_t>& order,
                           const ReadOptions& options, WatchedWork& work) {
  const auto wait_of = [&](int workers) {
    ReadOptions trial = options;
    trial.loader.workers = workers;
    const std::size_t steps = 2 * static_cast<std::size_t>(workers) + std::max(kTrialSteps, 2UL * workers);
    std::vector<std::uint32_t> samples;
    for (std::size_t i = 0; i < steps * options.loader.batch; ++i) samples.push_back(order[i % order.size()]);
    if (options.cache == CacheState::kCold && samples.size() > order.size()) {
      throw Error(fmt::format("{} samples are too few to try {} workers on cold files: {} are needed",
                              order.size(), workers, samples.size()),
                  "choose a smaller --batch or --cache warm, or give --workers N");
    }
    const ReadResult result = ReadBlock(source, samples, trial, [&](std::size_t) {
      return work.Continue([&] { return fmt::format("trying {} workers", workers); });
    });
    // Cut short by --max-time before any step counted: it could not keep up at all.
    return result.wait_s.value_or(options.max_time.count());
  };
  return FindWorkers(options.loader.workers, options.step_time, wait_of);
}

int RunRead(const ReadFlags& flags, const std::vector<std::string>& argv) {
  ReadOptions options = ReadFlagValues(flags);
  const std::unique_ptr<SampleSource> source = OpenSource(flags);
  std::vector<std::uint32_t> order = ShuffledEpoch(source->size(), flags.seed, 0);
  if (options.cache != CacheState::kAny) order.resize(std::min(order.size(), kMostPreparedSamples));
  WatchedWork work(flags.output);
  std::optional<WorkerChoice> choice;
  if (flags.Auto()) {
    choice = ChooseWorkers(*source, order, options, work);
    options.loader.workers = choice->workers.value_or(options.loader.workers);
    options.step_time = Seconds(0);
  }
  const ReadResult result = ReadBlock(*source, order, options, [&](std::size_t done) {
    return work.Continue([&] { return fmt::format("{} of {} samples", done, order.size()); });
  });
  const ReadReport report{
      .result = result, .options = options, .choice = choice, .samples_in_set = source->size()};
  if (flags.output.ShowText()) PrintRead(report);
  Json document = DatasetDocument("stallscope.dataset-read/1", argv, flags.seed);
  document.update(ReadToJson(report));
  WriteJson(flags.output, document.dump(2) + "\n");
  return work.interrupted().value_or(kExitOk);
}

}  // namespace

std::function<int()> DeclareDatasetRead(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ReadFlags>();
  const auto option = [&](const char* name, auto& value, const char* type, const char* help) {
    return app.add_option(name, value, help)->type_name(type);
  };
  option("path", flags->path, "DIR", "a folder of class folders, or a token file")->required();
  option("--cache", flags->cache, "STATE", "cold, warm (at most 20,000 samples) or any (default)");
  option("--workers", flags->workers, "N",
         "threads (default: one per core), or auto: the fewest for --step-time");
  option("--batch", flags->batch, "N", "samples per batch (default 32)");
  option("--image-size", flags->image_size, "PIXELS", "height and width of a sample (default 224)");
  option("--sequence-length", flags->sequence_length, "TOKENS", "of a token file (default 1024)");
  option("--step-time", flags->step_time, "TIME", "take a batch only so often, as training would");
  option("--max-time", flags->max_time, "TIME", "stop after this time, or one pass (default 20s)");
  option("--max-bad", flags->max_bad, "SHARE", "bad files that are put up with (default 1%)");
  app.add_flag("--follow", flags->follow, "follow links that lead out of the folder");
  option("--seed", flags->seed, "N", "repeats the order and the crops (default 1)");
  DeclareOutput(app, flags->output);
  return [flags, argv] { return RunRead(*flags, argv); };
}

}  // namespace stallscope
