#include "app/commands/profile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/page_file.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/bucket.h"

namespace stallscope {
namespace {

Seconds ReadDuration(const std::string& text, const char* flag) {
  const auto duration = ParseDuration(text);
  if (!duration || duration->count() <= 0) {
    throw UsageError(fmt::format("{} '{}' is no duration", flag, text), "write it as 90s, 10m or 1h");
  }
  return *duration;
}

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
  option("--optimizer", training.optimizer, "NAME", kWorkload, "sgd (momentum 0.9, default) or adamw");
  option("--dtype", training.dtype, "TYPE", kWorkload,
         "fp32 (default) or bf16 (autocast; gradients stay fp32)");
  option("--bucket", training.bucket, "SIZE", kWorkload,
         "gradient bucket: a size (default 25MiB), tensor or model");
  app.add_flag("--no-broadcast-buffers", no_broadcast_buffers,
               "do not send batch-norm statistics from rank 0 before each forward pass")
      ->group(kWorkload);

  constexpr const char* kData = "On which data";
  option("--data", data, "PATH", kData,
         "class folders of JPEGs, or a token file: measures warm and cold as well");
  option("--workers", workers, "N", kData,
         "loader threads per device (default: its share of the cores, at most 8)");
  option("--max-bad", max_bad, "SHARE", kData, "bad files that are put up with (default 1%)");
  app.add_flag("--no-evict", no_evict,
               "never drive files out of this machine's memory: leaves out cold, for shared machines")
      ->group(kData);

  constexpr const char* kLaunch = "Where";
  option("--nproc-per-node", options.launch.nproc_per_node, "N", kLaunch,
         "ranks on this machine, one core set each (default 2, or 1 on one core)");
  option("--nnodes", options.launch.nnodes, "N", kLaunch, "machines; run the command once on each");
  option("--node-rank", options.launch.node_rank, "R", kLaunch, "this machine's number, from 0");
  option("--master-addr", options.launch.master_addr, "ADDR", kLaunch,
         "address of the machine with --node-rank 0");
  option("--master-port", options.launch.master_port, "PORT", kLaunch, "a free port there (default 29500)");
  option("--emulate", emulate, "SPEC", kLaunch,
         "machines made out of this one: nodes=2,bandwidth=1Gbit[,disk=100MB/s]");
  option("--interface", options.interface, "NAME", kLaunch, "network interface between the machines");
  option("--join-timeout", join_timeout, "TIME", kLaunch,
         "how long to try to reach the master (default 30s)");

  constexpr const char* kMeasure = "How to measure";
  option("--tolerance", tolerance, "SHARE", kMeasure,
         "stop when every stall is known to this share of step time (default 3%)");
  option("--max-time", max_time, "TIME", kMeasure, "stop after this time in any case (default 5m)");
  option("--conditions", conditions, "LIST", kMeasure, "only these of solo,crowd,node,cluster,warm,cold");
  option("--sample", sample, "TIME", kMeasure,
         "also sample CPU, memory, disk, network and GPUs so often, as 100ms");
  option("--seed", training.seed, "N", kMeasure, "repeats the order of blocks, the weights and the samples");
  app.add_flag("--self-test", options.self_test,
               "inject stalls of known size instead, and say whether they are found (exit code 4: not)")
      ->group(kMeasure);
  app.add_flag("--dry-run", options.dry_run, "say what would be measured, and end")->group(kMeasure);

  option("--out", options.out, "DIR", "Output", "folder for the results (default ./stallscope-DATE-TIME)");
  option("--html", options.html, "FILE", "Output", "write a page as well, for the browser");
  option("--reference", options.reference, "FILE", "Output",
         "a profile of one machine with as many devices: the network stall against it as well");
  option("--store", options.store, "DIR", "Output",
         "keep the profile there instead of in STALLSCOPE_STORE or the user's data folder");
  app.add_flag("--no-store", no_store, "do not keep the profile in the store")->group("Output");
  option("--resume", options.resume, "DIR", "Output",
         "go on with the finished rounds of that folder; repeat the other options as they were");
  app.add_flag("--force", options.force, "write into a folder that exists")->group("Output");
  DeclareOutput(app, options.output);
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
  options.data = config;
  options.evict = !no_evict;
}

void ProfileFlags::ReadConditions() {
  std::istringstream names(conditions);
  for (std::string name; std::getline(names, name, ',');) options.conditions.push_back(ParseCondition(name));
}

void ProfileFlags::PrepareSelfTest() {
  if (options.launch.nnodes || !conditions.empty() || no_evict || !options.resume.empty()) {
    throw UsageError("--self-test climbs the whole ladder on machines that it makes itself",
                     "leave out --nnodes, --conditions, --no-evict and --resume");
  }
  if (emulate.empty()) emulate = "nodes=2,bandwidth=1Gbit";
  if (model->count() == 0 && torchscript_file.empty()) {
    options.training.model = "resnet10";
    if (!options.training.image_size) options.training.image_size = 64;
  }
  // Reading and decoding of one worker follow each other, which is what the arithmetic says.
  if (!workers.empty() && workers != "1") {
    throw UsageError("--self-test reckons with one worker", "leave --workers out");
  }
  workers = "1";
}

void ProfileFlags::ReadUnits() {
  if (options.self_test) PrepareSelfTest();

  const auto share = ParseShare(tolerance);
  if (!share || *share <= 0 || *share >= 1) {
    throw UsageError(fmt::format("--tolerance '{}' is no share between 0 and 1", tolerance),
                     "write it as 3% or 0.03");
  }
  options.tolerance = *share;
  options.training.broadcast_buffers = !no_broadcast_buffers;
  options.max_time = ReadDuration(max_time, "--max-time");
  options.join_timeout = ReadDuration(join_timeout, "--join-timeout");
  CheckAtLeastOne(options.training.batch, "--batch");
  CheckAtLeastOne(options.training.accumulate, "--accumulate");
  CheckOneOf(options.training.optimizer, "--optimizer", "sgd", "adamw");
  CheckOneOf(options.training.dtype, "--dtype", "fp32", "bf16");
  ParseBucket(options.training.bucket);
  ReadTorchscript();
  ReadData();
  ReadConditions();
  if (!emulate.empty()) options.emulate = ParseEmulate(emulate);
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
  options.keep_in_store = !no_store;
  CheckJsonFile(options.output);
  CheckPageFile(options.html, options.force || !options.resume.empty(), options.output);
}

}  // namespace stallscope
