#include "app/commands/profile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/engine/bucket.h"

namespace stallscope {
namespace {

void CheckAtLeastOne(int value, const char* flag) {
  if (value < 1)
    throw UsageError(fmt::format("{} {} trains nothing", flag, value),
                     fmt::format("give {} 1 or more", flag));
}

void CheckOneOf(const std::string& value, const char* flag, const char* one, const char* other) {
  if (value != one && value != other) {
    throw UsageError(fmt::format("{} '{}' is unknown", flag, value),
                     fmt::format("choose {} or {}", one, other));
  }
}

}  // namespace

void ProfileFlags::Declare(CLI::App& app) {
  const auto option = [&](const char* name, auto& value, const char* type, const char* group,
                          const char* help) {
    app.add_option(name, value, help)->type_name(type)->group(group);
  };
  TrainingConfig& training = options.training;
  constexpr const char* kWorkload = "What to train";
  option("--model", training.model, "NAME", kWorkload,
         "network: resnet18 (default), mlp:layers=8,width=512, ...");
  model = app.get_option("--model");
  app.add_flag("--list-models", options.list_models, "list the networks and end")->group(kWorkload);
  option("--torchscript", torchscript_file, "FILE", kWorkload,
         "a scripted network of yours instead; loading such a file RUNS THE CODE IN IT");
  option("--input-shape", input_shape, "CxHxW", kWorkload,
         "one sample of --torchscript (default 3x224x224; for tokens their number: 128)");
  option("--vocabulary", vocabulary, "N", kWorkload, "--torchscript takes tokens below N instead of images");
  option("--image-size", training.image_size, "PIXELS", kWorkload, "height and width of an image");
  option("--sequence-length", training.sequence_length, "TOKENS", kWorkload, "tokens in a sample");
  option("--classes", training.classes, "N", kWorkload, "classes of the last layer");
  option("--batch", training.batch, "N", kWorkload, "samples per device and micro-batch (default 8)");
  option("--accumulate", training.accumulate, "N", kWorkload, "micro-batches per optimiser step (default 1)");
  option("--optimizer", training.optimizer, "sgd|adamw", kWorkload, "default sgd, with momentum 0.9");
  option("--dtype", training.dtype, "fp32|bf16", kWorkload,
         "arithmetic (default fp32; bf16 by autocast, gradients stay fp32)");
  option("--bucket", training.bucket, "SIZE", kWorkload,
         "gradient bucket: a size (default 25MiB), tensor or model");
  bucket = app.get_option("--bucket");
  app.add_flag("--no-broadcast-buffers", no_broadcast_buffers,
               "do not send batch-norm statistics from rank 0 before each forward pass")
      ->group(kWorkload);

  constexpr const char* kData = "On which data";
  option("--data", data, "PATH", kData,
         "class folders of JPEGs, or a token file: measures warm and cold as well");
  option("--workers", workers, "N", kData,
         "loader threads per device (default: its share of the cores, at most 8)");
  option("--max-bad", max_bad, "SHARE", kData, "bad files that are put up with (default 1%)");
  app.add_flag("--follow", follow, "follow links that lead out of the folder of --data")->group(kData);

  constexpr const char* kLaunch = "Where";
  ladder.DeclareLaunch(app, options, kLaunch,
                       "ranks on this machine, one core set each (default 2, or 1 on one core)");
  DeclareMeeting(app, options.interface, join_timeout, kLaunch);

  constexpr const char* kMeasure = "How to measure";
  ladder.DeclareMeasure(app, kMeasure);
  option("--sample", sample, "TIME", kMeasure,
         "also sample CPU, memory, disk, network and GPUs so often, as 100ms");
  option("--seed", training.seed, "N", kMeasure, "repeats the order of blocks, the weights and the samples");
  app.add_flag("--self-test", options.self_test,
               "inject stalls of known size instead, and say whether they are found (exit code 4: not)")
      ->group(kMeasure);
  app.add_flag("--dry-run", options.dry_run, "say what would be measured, and end")->group(kMeasure);

  option("--reference", options.reference, "FILE", "Output",
         "a profile of one machine with as many devices: the network stall against it as well");
  option("--resume", options.resume, "DIR", "Output",
         "go on with the finished rounds of that folder; repeat the other options as they were");
  ladder.DeclareResults(app, options, "Output");
  app.footer(
      "Under torchrun, mpirun or srun, start one command per rank and leave --nproc-per-node out.\n"
      "Examples: stallscope profile --model resnet18 --image-size 64 --batch 8 --nproc-per-node 2\n"
      "          stallscope profile --data DIR --nproc-per-node 1 --emulate nodes=2,bandwidth=1Gbit");
}

void ProfileFlags::ReadTorchscript() {
  if (torchscript_file.empty()) return;
  if (options.training.image_size || options.training.sequence_length) {
    throw UsageError("--image-size and --sequence-length do not go with --torchscript",
                     "give --input-shape instead");
  }
  TorchscriptConfig script{.file = torchscript_file};
  std::istringstream parts(input_shape);
  for (std::string part; std::getline(parts, part, 'x');) {
    const bool digits =
        !part.empty() && part.size() < 8 && part.find_first_not_of("0123456789") == std::string::npos;
    script.sample_shape.push_back(digits ? std::stoll(part) : 0);
  }
  const std::size_t wanted = vocabulary ? 1 : 3;
  const bool positive =
      std::all_of(script.sample_shape.begin(), script.sample_shape.end(), [](auto n) { return n > 0; });
  if (script.sample_shape.size() != wanted || !positive || input_shape.back() == 'x') {
    throw UsageError(
        fmt::format("--input-shape '{}' is no shape of {}", input_shape, vocabulary ? "tokens" : "an image"),
        vocabulary ? "write the number of tokens in a sample, as 128"
                   : "write channels x height x width, as 3x224x224");
  }
  if (vocabulary) CheckAtLeastOne(*vocabulary, "--vocabulary");
  script.vocabulary = vocabulary;
  script.classes = options.training.classes.value_or(vocabulary.value_or(script.classes));
  CheckAtLeastOne(script.classes, "--classes");
  options.training.torchscript = script;
}

void ProfileFlags::ReadData() {
  if (data.empty()) {
    if (!workers.empty()) throw UsageError("--workers has nothing to load", "give --data as well");
    return;
  }
  DataConfig config{.path = data, .workers = 0};
  if (!workers.empty()) {
    const bool digits = workers.size() < 5 && workers.find_first_not_of("0123456789") == std::string::npos;
    config.workers = digits ? std::stoi(workers) : 0;
    if (config.workers < 1 || config.workers > 1024) {
      throw UsageError(fmt::format("--workers '{}' is no number of threads", workers), "give 1 to 1024");
    }
  }
  const auto share = ParseShare(max_bad);
  if (!share || *share < 0 || *share > 1) {
    throw UsageError(fmt::format("--max-bad '{}' is no share between 0 and 1", max_bad),
                     "write it as 1% or 0.01");
  }
  config.max_bad = *share;
  config.follow = follow;
  options.data = config;
}

void ProfileFlags::PrepareSelfTest() {
  if (options.launch.nnodes || !ladder.conditions.empty() || ladder.no_evict || !options.resume.empty()) {
    throw UsageError("--self-test climbs the whole ladder on machines that it makes itself",
                     "leave out --nnodes, --conditions, --no-evict and --resume");
  }
  if (ladder.emulate.empty()) ladder.emulate = "nodes=2,bandwidth=1Gbit";
  if (model->count() == 0 && torchscript_file.empty()) {
    options.training.model = "resnet10";
    if (!options.training.image_size) options.training.image_size = 64;
  }
  // Reading and decoding of one worker follow each other, which is what the arithmetic says.
  if (!workers.empty() && workers != "1") {
    throw UsageError("--self-test reckons with one worker", "leave --workers out");
  }
  workers = "1";
  // Gradients that leave while others are computed hide a part of the wire; all in one hide nothing.
  if (bucket->count() > 0 && options.training.bucket != "model") {
    throw UsageError("--self-test reckons with one bucket", "leave --bucket out");
  }
  options.training.bucket = "model";
}

void ProfileFlags::ReadUnits() {
  if (options.self_test) PrepareSelfTest();
  ladder.Read(options, !options.resume.empty());
  options.training.broadcast_buffers = !no_broadcast_buffers;
  options.join_timeout = ReadDuration(join_timeout, "--join-timeout");
  CheckAtLeastOne(options.training.batch, "--batch");
  CheckAtLeastOne(options.training.accumulate, "--accumulate");
  CheckOneOf(options.training.optimizer, "--optimizer", "sgd", "adamw");
  CheckOneOf(options.training.dtype, "--dtype", "fp32", "bf16");
  ParseBucket(options.training.bucket);
  ReadTorchscript();
  ReadData();
  if (options.emulate && options.emulate->disk && !options.data) {
    throw UsageError("--emulate disk=... slows nothing", "give --data as well, or leave the disk out");
  }
  if (options.self_test && !options.emulate->bandwidth) {
    throw UsageError("--self-test needs a network of known rate", "give --emulate nodes=2,bandwidth=1Gbit");
  }
  if (!sample.empty()) options.sample = ReadDuration(sample, "--sample");
  if (!options.resume.empty() && !options.out.empty()) {
    throw UsageError("--resume and --out name two folders", "give --resume alone: results go there");
  }
}

}  // namespace stallscope
