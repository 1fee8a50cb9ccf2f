#include "app/commands/predict_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "app/commands/add_option.h"
#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/stack.h"

namespace stallscope {
namespace {

constexpr int kUsualBatch = 32;
constexpr int kMostBatch = 1'000'000;
constexpr int kMostNodes = 100'000;
constexpr int kMostWorkers = 1024;
/// Slower or faster than any link between machines; catches "10" for "10Gbit".
constexpr double kSlowestLink = 1e3;
constexpr double kFastestLink = 1e14;

void RequireWithin(const char* flag, int value, int least, int most) {
  if (value < least || value > most) {
    throw UsageError(fmt::format("{} {} is out of range", flag, value),
                     fmt::format("give {} to {}", least, most));
  }
}

double SamplesOf(const std::string& text) {
  std::istringstream stream(text);
  double samples = 0;
  if (!(stream >> samples) || !stream.eof() || !(samples >= 1) || samples > 1e15 ||
      samples != std::floor(samples)) {
    throw UsageError(fmt::format("--samples '{}' is no number of samples", text),
                     "give a whole number, as 1281167");
  }
  return samples;
}

std::optional<Bytes> BucketOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "tensor") return Bytes{0};
  if (text == "model") return Bytes{std::numeric_limits<double>::infinity()};
  const std::optional<Bytes> size = ParseSize(text);
  if (!size || size->value <= 0) {
    throw UsageError(fmt::format("--bucket '{}' is no size", text), "give a size as 25MiB, tensor or model");
  }
  return size;
}

}  // namespace

void PredictFlags::Declare(CLI::App& app) {
  constexpr const char* kWorkload = "What to train";
  AddOption(app, "--model", model, "NAME", kWorkload,
            "network: resnet50, bert_base, mlp:layers=8,width=512, ... (profile --list-models)");
  AddOption(app, "--batch", batch, "N", kWorkload, "samples per GPU and step (default 32)");
  AddOption(app, "--dtype", dtype, "fp32|tf32|amp|fp16|bf16", kWorkload, "arithmetic (default fp32)");
  AddOption(app, "--image-size", image_size, "PIXELS", kWorkload, "height and width of an image");
  AddOption(app, "--sequence-length", sequence_length, "TOKENS", kWorkload, "tokens in a sample");
  AddOption(app, "--bucket", bucket, "SIZE", kWorkload,
            "gradient bucket: a size (default the stack's, 25MiB in PyTorch), tensor or model");
  app.add_option("--stack", stack, "the software that trains (default pytorch): " + StackNames())
      ->type_name("NAME")
      ->group(kWorkload);
  AddOption(app, "--profile", profile, "FILE", kWorkload,
            "a workload of yours in place of --model: what `profile` or `run` measured");
  AddOption(app, "--measured-on", measured_on, "GPU", kWorkload, "the GPU that --profile was measured on");

  constexpr const char* kData = "On which data";
  AddOption(app, "--dataset", dataset, "NAME", kData,
            "imagenet, openimages, wikipedia-tokens, ... (catalog list datasets)");
  AddOption(app, "--samples", samples, "N", kData, "samples of an epoch, in place of --dataset");
  AddOption(app, "--sample-bytes", sample_bytes, "SIZE", kData, "of one sample as it is stored: 110kB");
  AddOption(
      app, "--cached", cached, "SHARE", kData,
      "of the data that memory holds: 0% for a first epoch (default: what 75 % of the memory can take)");

  constexpr const char* kWhere = "Where";
  app.add_option("--instance", instances,
                 "machines of the catalog, with commas between them (catalog list); several give a table")
      ->type_name("NAME")
      ->group(kWhere)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddOption(app, "--machine", machine, "FILE", kWhere, "a machine card of `probe` in place of --instance");
  AddOption(app, "--law", law, "FILE", kWhere,
            "how that machine's ranks exchange gradients (law fit); default: the newest of it in the store");
  app.add_flag("--no-law", no_law, "predict from the card's all-reduces alone")->group(kWhere);
  AddOption(app, "--nodes", nodes, "N", kWhere, "machines of that kind (default 1)");
  DeclareCatalogFiles(app, catalog);
  app.get_option("--catalog")->group(kWhere);

  constexpr const char* kWhatIf = "What if (the plain prediction, the changed one, and the change)";
  AddOption(app, "--bandwidth", bandwidth, "RATE", kWhatIf, "another network between machines: 25Gbit");
  AddOption(app, "--gpu", gpu, "NAME", kWhatIf,
            "other GPUs in the same machines (catalog list gpus); there is no price then");
  AddOption(app, "--workers", workers, "N", kWhatIf,
            "loader workers per GPU, a hardware thread each (plain: every thread prepares)");
  page.DeclareWithForce(app);
  DeclareOutput(app, output);
  app.footer(
      "Examples: stallscope predict --model resnet50 --instance p3.8xlarge --nodes 2 --dataset imagenet\n"
      "          stallscope predict --model bert_base --dtype amp --instance p3.16xlarge,p4d.24xlarge\n"
      "          stallscope predict --model vgg11 --instance p3.8xlarge --nodes 2 --bandwidth 25Gbit\n"
      "          stallscope predict --profile stallscope-*/ --machine machine.json --nodes 2 --bandwidth "
      "1Gbit");
}

void PredictFlags::Check() const {
  if (model.empty() == profile.empty()) {
    throw model.empty() ? UsageError("there is nothing to predict", "give --model NAME or --profile FILE")
                        : UsageError("--model and --profile name two workloads", "give one of them");
  }
  if (instances.empty() == machine.empty()) {
    throw instances.empty()
        ? UsageError("there is no machine to predict on",
                     "give --instance NAME (see `stallscope catalog list`) or --machine FILE")
        : UsageError("--instance and --machine name two kinds of machines",
                     "give one of them, or add the card with --catalog and name its host in --instance");
  }
  if (profile.empty() && !measured_on.empty()) {
    throw UsageError("--measured-on says where a profile was measured", "give --profile FILE as well");
  }
  if (!profile.empty()) {
    const bool fixed = batch || image_size || sequence_length || !dtype.empty() || !bucket.empty();
    if (fixed) {
      throw UsageError("--batch, --dtype, --image-size, --sequence-length and --bucket are the profile's own",
                       "leave them out, or measure another profile");
    }
  }
  RequireWithin("--nodes", nodes, 1, kMostNodes);
  if (batch) RequireWithin("--batch", *batch, 1, kMostBatch);
  if (workers) RequireWithin("--workers", *workers, 1, kMostWorkers);
  if (!dtype.empty()) ParseDtype(dtype);
  CheckStack();
  if (!dataset.empty() && (!samples.empty() || !sample_bytes.empty())) {
    throw UsageError("--dataset and --samples name two data sets", "give one of them");
  }
  if (samples.empty() != sample_bytes.empty()) {
    throw UsageError("--samples and --sample-bytes go together",
                     samples.empty() ? "give --samples N as well" : "give --sample-bytes SIZE as well");
  }
  const bool data = !dataset.empty() || !samples.empty();
  if (profile.empty() && !data && (workers || !cached.empty())) {
    throw UsageError(fmt::format("{} needs data to load", workers ? "--workers" : "--cached"),
                     "give --dataset, or --samples and --sample-bytes");
  }
  if (!bandwidth.empty() && nodes == 1) {
    throw UsageError("--bandwidth changes nothing on one machine", "give --nodes 2 or more");
  }
  CachedShare();
  BucketOf(bucket);
}

void PredictFlags::CheckStack() const {
  if (stack.empty() || StackOf(stack).known) return;
  throw UsageError(fmt::format("--stack '{}' is no stack that is known", stack),
                   "take one of: " + StackNames());
}

const Gpu& PredictFlags::MeasuredOn(const Catalog& facts) const {
  if (measured_on.empty()) {
    throw UsageError(fmt::format("{} does not say which GPU it was measured on", profile),
                     "name it: --measured-on V100");
  }
  return GpuNamed(facts, measured_on);
}

std::vector<std::string> PredictFlags::Instances() const {
  std::vector<std::string> names;
  for (const std::string& given : instances) {
    std::istringstream stream(given);
    for (std::string name; std::getline(stream, name, ',');) {
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.empty() && machine.empty())
    throw UsageError("--instance names no machine", "see `stallscope catalog list`");
  return names;
}

NetworkOptions PredictFlags::Options() const {
  return {.image_size = image_size, .sequence_length = sequence_length, .classes = {}};
}

TrainingPlan PredictFlags::Plan(const Network& network, const Catalog& facts) const {
  TrainingPlan plan;
  plan.model = model;
  plan.network = Options();
  plan.batch = batch.value_or(kUsualBatch);
  plan.precision = dtype.empty() ? "fp32" : dtype;
  plan.stack = stack.empty() ? "PyTorch" : stack;
  plan.bucket = BucketOf(bucket);
  plan.nodes = nodes;
  plan.data = Data(network.name,
                   network.sample_kind == SampleKind::kTokens
                       ? std::optional(static_cast<double>(network.sample_shape.front()))
                       : std::nullopt,
                   facts);
  return plan;
}

WhatIf PredictFlags::Change(const Catalog& facts) const {
  WhatIf change;
  change.workers = workers;
  if (!bandwidth.empty()) {
    change.bandwidth = ParseRate(bandwidth);
    if (!change.bandwidth || change.bandwidth->value < kSlowestLink ||
        change.bandwidth->value > kFastestLink) {
      throw UsageError(fmt::format("--bandwidth '{}' is no rate of a network", bandwidth),
                       "write it as 25Gbit or 3GB/s");
    }
  }
  if (!gpu.empty()) {
    change.gpu = GpuNamed(facts, gpu).name;
  }
  return change;
}

std::optional<double> PredictFlags::CachedShare() const {
  if (cached.empty()) return std::nullopt;
  const std::optional<double> share = ParseShare(cached);
  if (!share || *share > 1) {
    throw UsageError(fmt::format("--cached '{}' is no share between 0 and 1", cached),
                     "write it as 80% or 0.8");
  }
  return share;
}

std::optional<PlannedData> PredictFlags::Data(const std::string& workload, std::optional<double> length,
                                              const Catalog& facts) const {
  const std::optional<double> share = CachedShare();
  if (!samples.empty()) {
    const std::optional<Bytes> size = ParseSize(sample_bytes);
    if (!size || size->value <= 0) {
      throw UsageError(fmt::format("--sample-bytes '{}' is no size", sample_bytes), "write it as 110kB");
    }
    return PlannedData{SamplesOf(samples), *size, share};
  }
  if (dataset.empty()) return std::nullopt;
  const DatasetPreset& preset = facts.FindDataset(dataset);
  const char* reads = length ? "tokens" : "images";
  if (preset.kind != reads) {
    throw UsageError(fmt::format("{} reads {}, and {} holds {}", workload, reads, preset.name, preset.kind),
                     "choose another --dataset, or give --samples and --sample-bytes");
  }
  if (!length || !preset.tokens) {
    return PlannedData{static_cast<double>(preset.samples), preset.sample_bytes, share};
  }
  // A sample is as long as the network reads.
  const double count = std::floor(static_cast<double>(*preset.tokens) / *length);
  return PlannedData{count, {preset.bytes.value / count}, share};
}

}  // namespace stallscope
