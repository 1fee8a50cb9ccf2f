#include "stallscope/law/sweep_journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/document/condition_json.h"
#include "stallscope/document/host_json.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

constexpr const char* kSchema = "stallscope.sweep/1";

Json CellToJson(const SweepCell& cell) {
  const SweepNetwork& network = cell.network;
  Json json = {{"network", network.spec}, {"family", network.family}, {"batch", network.batch}};
  Put(json, "image_size", network.image_size);
  Put(json, "sequence_length", network.sequence_length);
  Put(json, "classes", network.classes);
  json["bucket"] = cell.bucket;
  json["ranks"] = cell.ranks;
  return json;
}

std::optional<int> SmallOptional(const JsonFields& fields, const char* key) {
  return fields.Has(key) ? std::optional(fields.SmallInteger(key)) : std::nullopt;
}

SweepCell CellFromJson(const JsonFields& fields) {
  SweepCell cell;
  cell.network = {.spec = fields.Text("network"),
                  .family = fields.Text("family"),
                  .batch = fields.SmallInteger("batch"),
                  .image_size = SmallOptional(fields, "image_size"),
                  .sequence_length = SmallOptional(fields, "sequence_length"),
                  .classes = SmallOptional(fields, "classes")};
  cell.bucket = fields.Text("bucket");
  cell.ranks = fields.SmallInteger("ranks");
  if (fields.Has("links")) {
    for (const std::string& link : fields.Texts("links")) cell.links.push_back(ParseSweepLink(link));
  }
  return cell;
}

Json WithLinks(const SweepCell& cell) {
  Json json = CellToJson(cell);
  json["links"] = Json::array();
  for (const SweepLink& link : cell.links) json["links"].push_back(link.name);
  return json;
}

/// In the words of a rung: its one value is its own interval.
Json BlockToJson(const SweepBlock& block) {
  Json json = ToJson(ConditionInfo{.step_time_s = {block.step_s, block.step_s, block.step_s},
                                   .rounds = 1,
                                   .steps = static_cast<int>(block.steps_s.size()) - block.settling,
                                   .parts = block.parts,
                                   .communication = block.communication,
                                   .buckets = block.buckets,
                                   .resources = std::nullopt,
                                   .cache = std::nullopt});
  json["slowest_s"] = block.slowest_s;
  json["settling"] = block.settling;
  json["steps_s"] = block.steps_s;
  json["polluted"] = block.polluted;
  return json;
}

SweepBlock BlockFromJson(const JsonFields& fields, const Json& json) {
  const ConditionInfo info = ConditionFromJson(fields);
  SweepBlock block{.step_s = info.step_time_s.mean,
                   .parts = info.parts,
                   .communication = info.communication,
                   .slowest_s = fields.Number("slowest_s"),
                   .settling = fields.SmallInteger("settling"),
                   .steps_s = {},
                   .buckets = info.buckets,
                   .polluted = fields.Truth("polluted")};
  const auto steps = json.find("steps_s");
  if (steps == json.end() || !steps->is_array()) fields.Fail("steps_s", "is no list of numbers");
  for (const Json& step : *steps) {
    if (!step.is_number()) fields.Fail("steps_s", "is no list of numbers");
    block.steps_s.push_back(step.get<double>());
  }
  return block;
}

SweepRound RoundFromJson(const JsonFields& fields, const Json& json) {
  SweepRound round;
  round.index = fields.SmallInteger("round");
  round.crowd = BlockFromJson(fields.Object("crowd"), json.at("crowd"));
  const JsonFields links = fields.Object("links");
  for (const std::string& name : links.Keys())
    round.links[name] = BlockFromJson(links.Object(name), json.at("links").at(name));
  return round;
}

void AddLink(SweepCell& cell, const SweepLink& link) {
  const bool known = std::any_of(cell.links.begin(), cell.links.end(),
                                 [&](const SweepLink& other) { return other.name == link.name; });
  if (!known) cell.links.push_back(link);
}

void AddWanted(Sweep& sweep, const SweepCell& cell) {
  for (SweepCell& known : sweep.wanted) {
    if (!known.SameLaunch(cell)) continue;
    for (const SweepLink& link : cell.links) AddLink(known, link);
    return;
  }
  sweep.wanted.push_back(cell);
}

SweptCell& CellIn(Sweep& sweep, const SweepCell& cell) {
  const auto found = std::find_if(sweep.cells.begin(), sweep.cells.end(),
                                  [&](const SweptCell& one) { return one.cell.SameLaunch(cell); });
  if (found != sweep.cells.end()) return *found;
  return sweep.cells.emplace_back(SweptCell{cell, {}, 0});
}

void AddRound(SweptCell& swept, SweepRound round) {
  for (const auto& [name, block] : round.links) AddLink(swept.cell, ParseSweepLink(name));
  swept.rounds.push_back(std::move(round));
}

}  // namespace

Sweep ReadSweep(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / kSweepFile : path;
  if (!std::filesystem::exists(file)) {
    throw UsageError(fmt::format("there is no sweep in {}", path.string()),
                     "measure one: stallscope law sweep --out DIR");
  }
  const std::vector<JournalLine> lines = ReadJournalLines(file);
  if (lines.empty()) throw Error(fmt::format("{} is empty", file.string()), "measure again");
  Sweep sweep;
  RequireSchema(lines.front().json, kSchema, lines.front().source);
  const JsonFields header(lines.front().json, lines.front().source);
  sweep.origin.created = header.Text("created");
  sweep.origin.host = HostFromJson(header.Object("host"));
  sweep.origin.tool = {.version = header.Object("tool").Text("version"),
                       .torch = header.Object("tool").OptionalText("torch")};
  sweep.origin.memory_bytes_per_s = header.OptionalNumber("memory_bytes_per_s");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const JsonFields fields(lines[i].json, lines[i].source);
    if (fields.Has("wanted")) {
      for (const JsonFields& cell : fields.Objects("wanted")) AddWanted(sweep, CellFromJson(cell));
      if (const auto cache = fields.OptionalInteger("private_cache_bytes"))
        sweep.origin.private_cache_bytes = cache;
      continue;
    }
    if (fields.Has("failed")) {
      sweep.failed.emplace_back(CellFromJson(fields.Object("failed")), fields.Text("reason"));
      continue;
    }
    SweptCell& swept = CellIn(sweep, CellFromJson(fields.Object("cell")));
    swept.seconds += fields.Number("seconds");
    AddRound(swept, RoundFromJson(fields, lines[i].json));
  }
  return sweep;
}

void Merge(Sweep& sweep, const Sweep& other) {
  if (sweep.origin.host.name != other.origin.host.name || sweep.origin.host.cpu != other.origin.host.cpu) {
    throw UsageError(fmt::format("the sweeps were measured on different machines: {} and {}",
                                 sweep.origin.host.name, other.origin.host.name),
                     "fit one law for each machine");
  }
  if (other.origin.private_cache_bytes) sweep.origin.private_cache_bytes = other.origin.private_cache_bytes;
  for (const SweepCell& cell : other.wanted) AddWanted(sweep, cell);
  sweep.failed.insert(sweep.failed.end(), other.failed.begin(), other.failed.end());
  for (const SweptCell& cell : other.cells) {
    SweptCell& ours = CellIn(sweep, cell.cell);
    ours.seconds += cell.seconds;
    for (const SweepRound& round : cell.rounds) AddRound(ours, round);
  }
}

SweepJournal::SweepJournal(const std::filesystem::path& folder, const SweepOrigin& origin, bool append)
    : lines_(folder / kSweepFile, append), private_cache_bytes_(origin.private_cache_bytes) {
  if (append) return;
  Json tool = {{"version", origin.tool.version}};
  Put(tool, "torch", origin.tool.torch);
  Json header = {
      {"schema", kSchema}, {"created", origin.created}, {"tool", tool}, {"host", HostToJson(origin.host)}};
  Put(header, "memory_bytes_per_s", origin.memory_bytes_per_s);
  lines_.Write(header);
}

void SweepJournal::WriteWanted(const std::vector<SweepCell>& cells) {
  Json wanted = Json::array();
  for (const SweepCell& cell : cells) wanted.push_back(WithLinks(cell));
  Json line = {{"wanted", wanted}};
  Put(line, "private_cache_bytes", private_cache_bytes_);
  lines_.Write(line);
}

void SweepJournal::WriteFailure(const SweepCell& cell, const std::string& reason) {
  lines_.Write({{"failed", WithLinks(cell)}, {"reason", reason}});
}

void SweepJournal::Write(const SweepCell& cell, const SweepRound& round, double seconds) {
  Json line = {{"cell", CellToJson(cell)},
               {"round", round.index},
               {"seconds", seconds},
               {"crowd", BlockToJson(round.crowd)}};
  for (const auto& [name, block] : round.links) line["links"][name] = BlockToJson(block);
  lines_.Write(line);
}

}  // namespace stallscope
