#include "stallscope/document/comparison.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {
namespace {

Json FileToJson(const ComparedFile& file) {
  return {{"file", file.file},   {"created", file.created}, {"host", file.host},
          {"model", file.model}, {"nodes", file.nodes},     {"devices_per_node", file.devices_per_node}};
}

Json TimeToJson(const ComparedTime& time) {
  Json json = Json::object();
  const auto put = [&](const char* key, const std::optional<Estimate>& value) {
    if (value) json[key] = ToJson(*value);
  };
  put("baseline_s", time.baseline_s);
  put("other_s", time.other_s);
  put("difference_s", time.difference_s);
  put("relative", time.relative);
  json["verdict"] = ToString(time.verdict);
  if (time.reason) json["reason"] = *time.reason;
  return json;
}

/// Parts lie inside their wholes, as in a profile.
Json StallsToJson(const std::vector<ComparedStall>& stalls) {
  Json json = Json::object();
  for (const ComparedStall& stall : stalls) {
    Json& parent = stall.part_of ? json[*stall.part_of] : json;
    parent[stall.name] = TimeToJson(stall.time);
  }
  return json;
}

Json OtherToJson(const ComparedProfile& other) {
  Json json = FileToJson(other.profile);
  if (other.total_of) json["total_of"] = *other.total_of;
  json["total"] = TimeToJson(other.total);
  json["stalls"] = StallsToJson(other.stalls);
  json["notes"] = other.notes;
  return json;
}

}  // namespace

std::string ToString(Change change) {
  switch (change) {
    case Change::kBetter:
      return "better";
    case Change::kWorse:
      return "worse";
    case Change::kIndistinguishable:
      return "indistinguishable";
    case Change::kNotComparable:
      return "not comparable";
  }
  return "?";
}

std::string ToJson(const Comparison& comparison) {
  Json json = {{"schema", kComparisonSchema},
               {"tool", {{"version", comparison.tool.version}}},
               {"created", comparison.created},
               {"argv", comparison.argv},
               {"host", HostToJson(comparison.host)},
               {"seed", 0},  // nothing is drawn; every document has the field
               {"baseline", FileToJson(comparison.baseline)},
               {"others", Json::array()}};
  for (const ComparedProfile& other : comparison.others) json["others"].push_back(OtherToJson(other));
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
