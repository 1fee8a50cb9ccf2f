#include "stallscope/ladder/round_journal.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"
#include "stallscope/document/condition_json.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

constexpr const char* kSchema = "stallscope.rounds/1";

/// A block in the words of a rung: its one value is its own interval.
ConditionInfo InfoOf(const BlockSummary& block) {
  const Estimate time{block.step_time_s, block.step_time_s, block.step_time_s};
  return {.step_time_s = time,
          .rounds = 1,
          .steps = block.steps,
          .parts = block.parts,
          .communication = block.communication,
          .buckets = block.buckets,
          .resources = block.resources,
          .cache = block.cache};
}

BlockSummary SummaryOf(const ConditionInfo& info) {
  return {.step_time_s = info.step_time_s.mean,
          .parts = info.parts,
          .communication = info.communication,
          .buckets = info.buckets,
          .resources = info.resources,
          .steps = info.steps,
          .cache = info.cache};
}

Json RoundToJson(const MeasuredRound& round) {
  Json json = {{"round", round.index}, {"solo_turn", round.solo_turn}, {"polluted", round.polluted}};
  for (const auto& [condition, block] : round.blocks)
    json["conditions"][ConditionName(condition)] = ToJson(InfoOf(block));
  Put(json, "loader_limit_s", round.loader_limit_s);
  Put(json, "fetch_limit_s", round.fetch_limit_s);
  if (const auto& loader = round.loader) {
    json["loader"] = {{"read_s", loader->read_s}, {"decode_s", loader->decode_s}, {"bytes", loader->bytes}};
  }
  return json;
}

MeasuredRound RoundFromJson(const JsonFields& fields) {
  MeasuredRound round;
  round.index = fields.SmallInteger("round");
  round.solo_turn = fields.SmallInteger("solo_turn");
  round.polluted = fields.Truth("polluted");
  const JsonFields conditions = fields.Object("conditions");
  for (const std::string& name : conditions.Keys())
    round.blocks[ParseCondition(name)] = SummaryOf(ConditionFromJson(conditions.Object(name)));
  round.loader_limit_s = fields.OptionalNumber("loader_limit_s");
  round.fetch_limit_s = fields.OptionalNumber("fetch_limit_s");
  if (const auto loader = fields.OptionalObject("loader")) {
    round.loader = LoaderInfo{.read_s = loader->Number("read_s"),
                              .decode_s = loader->Number("decode_s"),
                              .bytes = loader->Number("bytes")};
  }
  return round;
}

std::string Shown(const Json& job, const std::string& key) {
  return job.contains(key) ? job.at(key).dump() : "nothing";
}

void RequireSameJob(const Json& theirs, const Json& ours, const std::string& source) {
  for (const Json* side : {&ours, &theirs}) {
    for (const auto& [key, value] : side->items()) {
      if (theirs.contains(key) && ours.contains(key) && theirs.at(key) == ours.at(key)) continue;
      throw UsageError(fmt::format("{} was measured with another '{}': {}, and now {}", source, key,
                                   Shown(theirs, key), Shown(ours, key)),
                       "resume with the same options, or measure anew with --out");
    }
  }
}

}  // namespace

RoundJournal::RoundJournal(const std::filesystem::path& folder, const Json& job, bool append)
    : lines_(folder / kJournalFile, append) {
  if (!append) lines_.Write({{"schema", kSchema}, {"job", job}});
}

void RoundJournal::OnRound(const MeasuredRound& round) {
  lines_.Write(RoundToJson(round));
}

std::vector<MeasuredRound> ReadJournal(const std::filesystem::path& folder, const Json& job) {
  const std::filesystem::path path = folder / kJournalFile;
  if (!std::filesystem::exists(path)) {
    throw UsageError(fmt::format("--resume {}: there is no {} to go on with", folder.string(), kJournalFile),
                     "give the folder of an interrupted run");
  }
  std::vector<MeasuredRound> rounds;
  bool first = true;
  for (const auto& [line, source] : ReadJournalLines(path)) {
    if (first) {
      RequireSchema(line, kSchema, source);
      JsonFields(line, source).Object("job");
      RequireSameJob(line.at("job"), job, path.string());
    } else {
      rounds.push_back(RoundFromJson(JsonFields(line, source)));
    }
    first = false;
  }
  return rounds;
}

}  // namespace stallscope
