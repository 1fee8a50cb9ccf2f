#include "app/commands/recommend_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <set>

#include "app/commands/add_option.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/facts.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

constexpr int kMostNodes = 4096;
constexpr int kMostBatch = 1'000'000;
constexpr int kMostTop = 1000;
constexpr double kSecondsPerHour = 3600;

/// A flag that may be given several times.
void AddRepeated(CLI::App& app, const char* name, std::vector<std::string>& values, const char* type,
                 const char* group, const char* help) {
  app.add_option(name, values, help)
      ->type_name(type)
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::optional<double> NumberIn(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double NumberFromZero(const char* flag, const std::string& text, const char* example) {
  const std::optional<double> value = NumberIn(text);
  if (!value || *value < 0) {
    throw UsageError(fmt::format("{} '{}' is no number from 0 on", flag, text),
                     fmt::format("write {} {}", flag, example));
  }
  return *value;
}

double Hours(const char* flag, const std::string& text, bool may_be_zero) {
  if (may_be_zero && text == "0") return 0;  // no time at all needs no unit
  const std::optional<Seconds> duration = ParseDuration(text);
  if (!duration || (!may_be_zero && duration->count() <= 0)) {
    throw UsageError(fmt::format("{} '{}' is no time{}", flag, text, may_be_zero ? "" : " above zero"),
                     fmt::format("write {} 90s, 30m, 24h or 3d", flag));
  }
  return duration->count() / kSecondsPerHour;
}

void RequireWithin(const char* flag, const std::optional<int>& value, int least, int most) {
  if (value && (*value < least || *value > most)) {
    throw UsageError(fmt::format("{} {} is out of range", flag, *value),
                     fmt::format("give {} to {}", least, most));
  }
}

/// "p3.8xlarge", or "p3.*" for all that begin so, in any case.
bool Names(const std::string& given, const Machine& machine) {
  const std::string pattern = LowerCase(given);
  for (const std::string& text : {machine.name, FullName(machine), machine.provider}) {
    const std::string name = LowerCase(text);
    if (pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern)
      return true;
  }
  return false;
}

/// Whether a machine that left the lists is known to be had: the user pays a price for it, or somebody listed
/// it after that.
bool CanBeRented(const Machine& machine, const Catalog& catalog, const PriceChanges& yours) {
  const std::string name = LowerCase(FullName(machine));
  if (yours.on_demand.contains(name) || yours.spot.contains(name)) return true;
  const std::vector<Price> prices = catalog.PricesOf(machine);
  return !machine.last_listed.empty() && std::any_of(prices.begin(), prices.end(), [&](const Price& price) {
    return price.date > machine.last_listed;
  });
}

/// "aws=1s,60s" or "1h": what is charged at a time, and at least.
std::pair<std::string, BillingRule> ReadBilling(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string who = equals == std::string::npos ? "*" : LowerCase(text.substr(0, equals));
  const std::vector<std::string> parts =
      SplitList(equals == std::string::npos ? text : text.substr(equals + 1));
  const auto unit = parts.empty() ? std::nullopt : ParseDuration(parts[0]);
  const auto least = parts.size() == 2 ? ParseDuration(parts[1]) : unit;
  if (who.empty() || parts.size() > 2 || !unit || !least || unit->count() <= 0) {
    throw UsageError(fmt::format("--billing '{}' names no unit of time", text),
                     "write --billing gcp=1s,60s (provider, unit, minimum) or --billing 1h");
  }
  return {who, {unit->count(), least->count()}};
}

}  // namespace

std::optional<double> TokensOf(const Network& network) {
  if (network.sample_kind != SampleKind::kTokens) return std::nullopt;
  return static_cast<double>(network.sample_shape.front());
}

double PositiveNumber(const char* flag, const std::string& text, const char* example) {
  const std::optional<double> value = NumberIn(text);
  if (!value || *value <= 0) {
    throw UsageError(fmt::format("{} '{}' is no number above zero", flag, text),
                     fmt::format("write {} {}", flag, example));
  }
  return *value;
}

void RequireOneOnStdout(const std::vector<std::pair<const char*, std::string>>& outputs) {
  const char* first = nullptr;
  for (const auto& [flag, file] : outputs) {
    if (file != "-") continue;
    if (first) {
      throw UsageError(fmt::format("{} and {} both go to standard output", first, flag),
                       "give one of them a file");
    }
    first = flag;
  }
}

void WriteTable(const std::string& file, const std::string& text, bool force) {
  if (file == "-") {
    std::cout << text << std::flush;
    return;
  }
  if (force) {
    WriteFileAtomically(file, text);
  } else if (!WriteNewFileAtomically(file, text)) {
    throw Error(fmt::format("'{}' exists already", file), "give --force to replace it, or another name");
  }
}

void RecommendFlags::Declare(CLI::App& app) {
  constexpr const char* kWorkload = "What to train";
  AddOption(app, "--model", workload.model, "NAME", kWorkload,
            "network: resnet50, bert_base, mlp:layers=8,width=512, ... (profile --list-models)");
  AddOption(app, "--profile", workload.profile, "FILE", kWorkload,
            "a workload of yours in place of --model: what `run` measured on a GPU");
  AddOption(app, "--measured-on", workload.measured_on, "GPU", kWorkload,
            "the GPU that --profile was measured on");
  AddOption(app, "--dataset", workload.dataset, "NAME", kWorkload,
            "imagenet, openimages, wikipedia-tokens, ... (catalog list datasets)");
  AddOption(app, "--samples", workload.samples, "N", kWorkload, "samples of an epoch, in place of --dataset");
  AddOption(app, "--sample-bytes", workload.sample_bytes, "SIZE", kWorkload,
            "of one sample as it is stored: 110kB; without it no loading is predicted");
  AddOption(app, "--epochs", epochs, "N", kWorkload, "passes over the data (default 1)");
  AddOption(app, "--steps", steps, "N", kWorkload, "optimiser steps, in place of --epochs");
  AddOption(app, "--batch", batches, "N,...", kWorkload,
            "samples per GPU and step; several are all tried (default 32)");
  AddOption(app, "--global-batch", global_batch, "N", kWorkload,
            "samples of a step on all GPUs together, in place of --batch");
  AddOption(app, "--max-global-batch", most_global_batch, "N", kWorkload,
            "beyond it your network would not learn as well");
  AddOption(app, "--dtype", workload.dtype, "fp32|tf32|amp|fp16|bf16", kWorkload,
            "arithmetic (default fp32)");
  AddOption(app, "--image-size", workload.image_size, "PIXELS", kWorkload, "height and width of an image");
  AddOption(app, "--sequence-length", workload.sequence_length, "TOKENS", kWorkload, "tokens in a sample");
  AddOption(app, "--stack", workload.stack, "NAME", kWorkload, "the software that trains (default pytorch)");

  constexpr const char* kQuestion = "What is asked";
  AddOption(app, "--deadline", deadline, "TIME", kQuestion, "the cheapest that is done in: 90m, 24h, 3d");
  AddOption(app, "--budget", budget, "USD", kQuestion, "the fastest that costs at most so much");
  AddOption(app, "--confidence", confidence, "P", kQuestion,
            "probability of keeping the deadline and the budget, 0.5 to 0.99 (default 0.9)");
  AddOption(app, "--top", top, "N", kQuestion, "machines in the table (default 10)");

  constexpr const char* kWhere = "Which machines";
  AddOption(app, "--provider", provider, "NAME", kWhere, "aws, gcp, azure, ... (default all)");
  AddOption(app, "--region", region, "NAME", kWhere, "us-east-1, ... (default the cheapest)");
  AddOption(app, "--gpu", gpus, "NAME,...", kWhere, "V100, A100, ...");
  AddOption(app, "--exclude", excluded, "NAME,...", kWhere, "machines (p3.* for all of a kind) or providers");
  app.add_flag("--include-retired", include_retired,
               "machines that are no longer listed, at their last price")
      ->group(kWhere);
  AddOption(app, "--max-nodes", max_nodes, "N", kWhere, "machines at once (default 64)");
  app.add_flag("--spot", spot, "also machines that may be taken away, at their price")->group(kWhere);
  DeclareCatalogFiles(app, workload.catalog);
  app.get_option("--catalog")->group(kWhere);

  constexpr const char* kRuns = "What is known";
  AddOption(app, "--store", store, "DIR", kRuns, "kept profiles; those of this workload are used");
  app.add_flag("--no-store", no_store, "use none")->group(kRuns);
  AddRepeated(app, "--measured", measured, "NAME=FILE", kRuns,
              "a profile of this workload that was measured on that machine (repeatable)");
  AddOption(app, "--published", published, "FILE", kRuns,
            "a table of published rates (docs/formats.md); those of this workload are used");

  constexpr const char* kMoney = "Money";
  AddRepeated(app, "--price", prices, "NAME=USD", kMoney,
              "what you pay for an hour; NAME:spot=USD for spot (repeatable)");
  AddRepeated(app, "--discount", discounts, "WHO=SHARE", kMoney,
              "off the list's on-demand prices: aws=30%, p3.8xlarge=30%, 30% (repeatable)");
  AddRepeated(app, "--billing", billing, "WHO=TIME", kMoney,
              "unit and minimum that are charged: gcp=1s,60s; 1h for all (default 1s,60s)");
  AddOption(app, "--setup", setup, "TIME", kMoney,
            "from a machine's start until it trains; charged, and again after interruptions (default 5m)");
  AddOption(app, "--storage", storage, "USD", kMoney,
            "a GB-month, where a machine's own disk does not hold the data (default 0.08)");
  AddOption(app, "--interruptions", interruptions, "RATE", kMoney,
            "of a spot machine, an hour (default 0.05)");
  AddOption(app, "--checkpoint", checkpoint, "TIME", kMoney,
            "that writing one takes (default the weights' and optimiser's bytes through the disk)");

  constexpr const char* kOutput = "Output";
  AddOption(app, "--csv", csv, "FILE", kOutput, "the candidates as a table (-: standard output)");
  AddOption(app, "--markdown", markdown, "FILE", kOutput, "the answer for a wiki (-: standard output)");
  AddOption(app, "--emit", emit, "skypilot[:FILE]", kOutput,
            "the task that launches the choice (default skypilot.yaml)");
  app.add_flag("--force", force, "replace files")->group(kOutput);
  page.Declare(app);
  DeclareOutput(app, output);
  app.footer(
      "Exit code 3: nothing fits; the closest are named. docs/recommend.md has the rules.\n"
      "Examples: stallscope recommend --model resnet50 --dataset imagenet --epochs 90 --deadline 24h\n"
      "          stallscope recommend --model bert_large --dtype amp --samples 1e6 --budget 200 --spot");
}

void RecommendFlags::Check() const {
  if (workload.model.empty() == workload.profile.empty()) {
    throw workload.model.empty()
        ? UsageError("there is nothing to train", "give --model NAME or --profile FILE")
        : UsageError("--model and --profile name two workloads", "give one of them");
  }
  if (!workload.dataset.empty() && !workload.samples.empty())
    throw UsageError("--dataset and --samples name two data sets", "give one of them");
  if (!workload.sample_bytes.empty() && workload.samples.empty())
    throw UsageError("--sample-bytes needs to know how many", "give --samples N as well");
  if (!steps.empty() && !epochs.empty())
    throw UsageError("--steps and --epochs are two ways to say when it ends", "give one of them");
  if (workload.profile.empty() && steps.empty() && workload.dataset.empty() && workload.samples.empty())
    throw UsageError("nothing says how much there is to train",
                     "give --dataset NAME or --samples N, with --epochs; or --steps N");
  if (!batches.empty() && global_batch)
    throw UsageError("--batch and --global-batch contradict each other", "give one of them");
  if (!workload.profile.empty() && (!batches.empty() || global_batch))
    throw UsageError("the batch is the profile's own", "leave --batch and --global-batch out");
  if (!workload.profile.empty() &&
      (!workload.dtype.empty() || workload.image_size || workload.sequence_length)) {
    throw UsageError("--dtype, --image-size and --sequence-length are the profile's own",
                     "leave them out, or measure another profile");
  }
  if (workload.profile.empty() && !workload.measured_on.empty())
    throw UsageError("--measured-on says where a profile was measured", "give --profile FILE as well");
  workload.CheckStack();
  RequireWithin("--max-nodes", max_nodes, 1, kMostNodes);
  RequireWithin("--global-batch", global_batch, 1, kMostBatch);
  RequireWithin("--max-global-batch", most_global_batch, 1, kMostBatch);
  RequireWithin("--top", top, 1, kMostTop);
  if (!workload.dtype.empty()) ParseDtype(workload.dtype);
  if (!emit.empty() && emit != "skypilot" && !emit.starts_with("skypilot:"))
    throw UsageError(fmt::format("--emit '{}' is no kind of task", emit), "write --emit skypilot");
  Asked();
  Money();
  Batches();
}

Question RecommendFlags::Asked() const {
  Question question;
  if (!deadline.empty()) question.deadline_h = Hours("--deadline", deadline, false);
  if (!budget.empty()) question.budget_usd = PositiveNumber("--budget", budget, "500");
  const std::optional<double> share = ParseShare(confidence);
  if (!share || *share < kLeastConfidence || *share > kMostConfidence) {
    throw UsageError(fmt::format("--confidence '{}' is no probability from 0.5 to 0.99", confidence),
                     "write --confidence 0.9");
  }
  question.confidence = *share;
  return question;
}

MoneyRules RecommendFlags::Money() const {
  MoneyRules money;
  money.setup_h = Hours("--setup", setup, true);
  money.storage_usd_gb_month = NumberFromZero("--storage", storage, "0.08");
  money.interruptions_machine_hour = NumberFromZero("--interruptions", interruptions, "0.05");
  if (!checkpoint.empty()) money.checkpoint_s = Hours("--checkpoint", checkpoint, true) * kSecondsPerHour;
  for (const std::string& rule : billing) money.billing.push_back(ReadBilling(rule));
  return money;
}

void RecommendFlags::Resolve(const Catalog& catalog) {
  ResolveFilters(catalog, provider, region);
  std::vector<std::string> providers = {"*"};
  for (const Machine& machine : catalog.machines()) providers.push_back(machine.provider);
  for (const auto& [who, rule] : Money().billing) RequireKnown(who, "--billing", providers);
}

std::vector<std::string> RecommendFlags::AssumedMoney() const {
  const RecommendFlags untouched;
  std::vector<std::string> assumed;
  if (setup == untouched.setup) assumed.emplace_back("set-up takes 5 min (--setup)");
  if (storage == untouched.storage) assumed.emplace_back("storage costs 0.08 USD a GB-month (--storage)");
  if (spot && interruptions == untouched.interruptions)
    assumed.emplace_back("a spot machine is taken away 0.05 times an hour (--interruptions)");
  if (billing.empty())
    assumed.emplace_back(
        "providers other than aws charge by the second from 60 s on, as aws does (--billing)");
  return assumed;
}

PriceChanges RecommendFlags::Prices(const Catalog& catalog) const {
  PriceChanges changes;
  for (const std::string& price : prices) ReadPrice(price, catalog, changes);
  for (const std::string& discount : discounts) ReadDiscount(discount, catalog, changes);
  return changes;
}

std::vector<int> RecommendFlags::Batches() const {
  if (batches.empty()) return {32};
  std::set<int> sizes;
  for (const std::string& text : SplitList(batches)) {
    const std::optional<double> size = NumberIn(text);
    if (!size || *size < 1 || *size > kMostBatch || *size != std::floor(*size)) {
      throw UsageError(fmt::format("--batch '{}' is no number of samples", text), "write --batch 32,64,128");
    }
    sizes.insert(static_cast<int>(*size));
  }
  if (sizes.empty()) throw UsageError("--batch names no size", "write --batch 32,64,128");
  return {sizes.rbegin(),
          sizes.rend()};  // the largest first: the reason for leaving a machine out is the least
}

std::vector<std::size_t> RecommendFlags::Machines(const Catalog& catalog,
                                                  std::vector<MachineProblem>& left_out) const {
  const std::vector<std::string> chips = SplitList(gpus);
  for (const std::string& chip : chips) RequireGpu(catalog, chip);
  const std::vector<std::string> patterns = SplitList(excluded);
  for (const std::string& pattern : patterns) {
    const bool any = std::any_of(catalog.machines().begin(), catalog.machines().end(),
                                 [&](const Machine& machine) { return Names(pattern, machine); });
    if (!any) catalog.FindMachine(pattern);  // says which is near
  }
  const PriceChanges yours = Prices(catalog);
  std::vector<std::size_t> machines;
  for (std::size_t i = 0; i < catalog.machines().size(); ++i) {
    const Machine& machine = catalog.machines()[i];
    const auto named = [&](const std::string& pattern) { return Names(pattern, machine); };
    const auto held = [&](const std::string& chip) { return NameHolds(machine.gpu, chip); };
    if (!provider.empty() && machine.provider != provider) continue;
    if (!chips.empty() && std::none_of(chips.begin(), chips.end(), held)) continue;
    if (std::any_of(patterns.begin(), patterns.end(), named)) continue;
    if (machine.availability == "retired" && !include_retired && !CanBeRented(machine, catalog, yours)) {
      left_out.push_back({i, "retired",
                          fmt::format("it is no longer listed{}; --include-retired takes its last price",
                                      machine.last_listed.empty() ? "" : " since " + machine.last_listed)});
      continue;
    }
    machines.push_back(i);
  }
  return machines;
}

}  // namespace stallscope
