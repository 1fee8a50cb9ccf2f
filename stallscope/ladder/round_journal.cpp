#include "stallscope/ladder/round_journal.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
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

/// A run that was killed while it wrote leaves part of a line; the next line must not be joined to it.
void CutOffRest(const std::filesystem::path& path) {
  const std::string text = ReadFile(path);
  std::filesystem::resize_file(path, text.rfind('\n') + 1);
}

}  // namespace

RoundJournal::RoundJournal(const std::filesystem::path& folder, const Json& job, bool append)
    : path_(folder / kJournalFile) {
  if (append) CutOffRest(path_);
  file_.open(path_, append ? std::ios::app : std::ios::trunc);
  if (!append) Write({{"schema", kSchema}, {"job", job}});
}

void RoundJournal::OnRound(const MeasuredRound& round) {
  Write(RoundToJson(round));
}

void RoundJournal::Write(const Json& line) {
  file_ << line.dump() << '\n' << std::flush;
  if (!file_) {
    throw Error(fmt::format("cannot write '{}'", path_.string()), "free some space on that disk");
  }
}

std::vector<MeasuredRound> ReadJournal(const std::filesystem::path& folder, const Json& job) {
  const std::filesystem::path path = folder / kJournalFile;
  if (!std::filesystem::exists(path)) {
    throw UsageError(fmt::format("--resume {}: there is no {} to go on with", folder.string(), kJournalFile),
                     "give the folder of an interrupted run");
  }
  const std::string text = ReadFile(path);
  std::vector<MeasuredRound> rounds;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;  // cut off while it was written
    const std::string source = fmt::format("{} line {}", path.string(), number);
    const Json line = ParseDocument(text.substr(begin, end - begin), source);
    begin = end + 1;
    if (number == 1) {
      RequireSchema(line, kSchema, source);
      JsonFields(line, source).Object("job");
      RequireSameJob(line.at("job"), job, path.string());
    } else {
      rounds.push_back(RoundFromJson(JsonFields(line, source)));
    }
  }
  return rounds;
}

}  // namespace stallscope
