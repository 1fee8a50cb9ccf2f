#include "app/commands/probe_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"

namespace stallscope {
namespace {

const std::vector<std::string>& PartNames() {
  static const std::vector<std::string> kNames = {"decode", "memory", "disk", "collectives"};
  return kNames;
}

std::vector<std::string> ReadList(const std::string& text, const char* flag) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (std::find(PartNames().begin(), PartNames().end(), part) == PartNames().end()) {
      throw UsageError(fmt::format("{} '{}' is no part of a card", flag, part),
                       "choose among " + JoinAlternatives(PartNames()));
    }
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

void ProbeFlags::Declare(CLI::App& app) {
  const auto option = [&](const char* name, auto& value, const char* type, const char* group,
                          const char* help) {
    app.add_option(name, value, help)->type_name(type)->group(group);
  };
  constexpr const char* kWhat = "What to measure";
  option("--data", options.data, "PATH", kWhat,
         "the disk that matters: a folder on it, where a file is made and removed, or a file to read "
         "(default .)");
  option("--only", only, "LIST", kWhat, "only these of decode,memory,disk,collectives");
  option("--skip", skip, "LIST", kWhat, "not these");

  constexpr const char* kWhere = "Between which ranks";
  DeclareLaunchRequest(app, options.launch.request, kWhere,
                       "ranks on this machine that all-reduce (default: its cores, at most 4)");
  DeclareMeeting(app, options.launch.interface, join_timeout, kWhere);

  constexpr const char* kMeasure = "How to measure";
  option("--max-time", max_time, "TIME", kMeasure,
         "how long to measure (default 60s; at least three rounds)");
  option("--watch", watch, "TIME", kMeasure,
         "measure for so long instead, as 10m, and report drift and outliers");
  option("--seed", options.seed, "N", kMeasure, "repeats the order of the measurements and of the reads");
  app.add_flag("--dry-run", options.dry_run, "say what would be measured, and end")->group(kMeasure);

  constexpr const char* kJudge = "Is it healthy?";
  option("--expect", options.expect, "CARD", kJudge,
         "another card (machine.json, or its folder), or a machine's name, as p4d.24xlarge: is this one as "
         "good?");
  option("--fail-below", fail_below, "SHARE", kJudge,
         "exit with 4 where a quantity is surely below this share of the expected one (default 80%)");
  DeclareCatalogFiles(app, options.catalog);
  option("--card", options.card, "FILE", kJudge, "judge this card instead of measuring");

  constexpr const char* kOutput = "Output";
  option("--out", options.out, "DIR", kOutput, "folder for machine.json (default ./stallscope-DATE-TIME)");
  option("--store", options.store, "DIR", kOutput,
         "keep the card there instead of in STALLSCOPE_STORE or the user's data folder");
  app.add_flag("--no-store", no_store, "do not keep the card in the store")->group(kOutput);
  app.add_flag("--force", options.force, "write into a folder that exists")->group(kOutput);
  options.page.Declare(app);
  DeclareOutput(app, options.output);
  app.footer(
      "Examples: stallscope probe --out today\n"
      "          stallscope probe --expect last-week/machine.json --fail-below 90%\n"
      "          stallscope probe --watch 10m --only memory\n"
      "          stallscope probe --nnodes 2 --node-rank 0 --master-addr ADDRESS     and the same with 1 "
      "there");
}

void ProbeFlags::ReadParts() {
  if (!only.empty() && !skip.empty()) {
    throw UsageError("--only and --skip say the same thing twice", "give one of them");
  }
  const std::vector<std::string> kept = ReadList(only, "--only");
  const std::vector<std::string> left_out = ReadList(skip, "--skip");
  const auto wanted = [&](const std::string& part) {
    if (!only.empty()) return std::find(kept.begin(), kept.end(), part) != kept.end();
    return std::find(left_out.begin(), left_out.end(), part) == left_out.end();
  };
  options.parts = {.decode = wanted("decode"), .memory = wanted("memory"), .disk = wanted("disk")};
  options.collectives = wanted("collectives");
  if (!options.collectives && options.launch.request.nnodes) {
    throw UsageError("several machines measure nothing but collectives together",
                     "leave out --nnodes, or do not leave out the collectives");
  }
}

void ProbeFlags::Read() {
  CheckJsonFile(options.output);
  options.page.Check(options.output, options.force);
  ReadParts();
  options.launch.join_timeout = ReadDuration(join_timeout, "--join-timeout");
  options.max_time = ReadDuration(max_time, "--max-time");
  if (!watch.empty()) options.watch = ReadDuration(watch, "--watch");
  options.keep_in_store = !no_store;
  if (!fail_below.empty()) {
    if (options.expect.empty())
      throw UsageError("--fail-below has nothing to compare with", "give --expect as well");
    const auto share = ParseShare(fail_below);
    // A bare 80 would mean 8000 %, and never be what was meant.
    if (!share || *share <= 0 || *share > 1) {
      throw UsageError(fmt::format("--fail-below '{}' is no share between 0 and 1", fail_below),
                       "write it as 80% or 0.8");
    }
    options.fail_below = *share;
  }
  if (!options.card.empty() && options.expect.empty()) {
    throw UsageError("--card is judged against something",
                     "give --expect as well, or see `stallscope report`");
  }
  if (!options.card.empty() && options.watch) {
    throw UsageError("--card is finished, and --watch measures", "give one of them");
  }
  std::error_code error;
  if (options.card.empty() && options.parts.disk && !std::filesystem::exists(options.data, error)) {
    throw UsageError(fmt::format("--data {} does not exist", options.data),
                     "give a folder or a file on the disk");
  }
}

}  // namespace stallscope
