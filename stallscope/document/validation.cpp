#include "stallscope/document/validation.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json RowToJson(const ValidatedRow& row) {
  Json json = {{"line", row.line},     {"series", row.series},       {"network", row.network},
               {"gpu", row.gpu},       {"nodes", row.nodes},         {"total_gpus", row.total_gpus},
               {"source", row.source}, {"framework", row.framework}, {"interconnect", row.interconnect},
               {"sync", row.sync},     {"known", row.known}};
  Put(json, "measured", row.measured);
  Put(json, "predicted", row.predicted);
  Put(json, "low", row.low);
  Put(json, "high", row.high);
  Put(json, "error", row.error);
  Put(json, "basis", row.basis);
  Put(json, "reason", row.reason);
  json["assumed"] = row.assumed;
  return json;
}

Json MeasuresToJson(const ErrorMeasures& measures) {
  return {{"rows", measures.rows},
          {"series", measures.series},
          {"mape", measures.mape},
          {"median", measures.median},
          {"percentile90", measures.percentile90},
          {"bias", measures.bias},
          {"coverage", measures.coverage},
          {"half_width", measures.half_width}};
}

Json GroupsToJson(const std::vector<ErrorGroup>& groups) {
  Json json = Json::array();
  for (const ErrorGroup& group : groups) {
    Json item = {{"by", group.by}, {"name", group.name}};
    item.update(MeasuresToJson(group.measures));
    json.push_back(item);
  }
  return json;
}

Json SetToJson(const FittedSet& set) {
  Json json = Json::object();
  Put(json, "left_out", set.left_out);
  json["rows"] = set.rows;
  json["interval_factor"] = set.interval_factor;
  json["values"] = Json::array();
  for (const FittedValue& value : set.values) {
    json["values"].push_back({{"name", value.name},
                              {"unit", value.unit},
                              {"value", value.value},
                              {"low", value.low},
                              {"high", value.high}});
  }
  return json;
}

}  // namespace

std::string ToJson(const Validation& validation) {
  Json json = {{"schema", kValidationSchema},
               {"tool", {{"version", validation.tool.version}}},
               {"created", validation.created},
               {"argv", validation.argv},
               {"host", HostToJson(validation.host)},
               {"seed", 0},  // nothing is drawn; every document has the field
               {"file", validation.file},
               {"mode", validation.mode}};
  Put(json, "left_out_by", validation.left_out_by);
  if (validation.all_reduce) json["all_reduce"] = MeasuresToJson(*validation.all_reduce);
  if (validation.several_nodes) json["several_nodes"] = MeasuresToJson(*validation.several_nodes);
  Put(json, "perfect_scaling_mape", validation.perfect_scaling_mape);
  Put(json, "constant_mape", validation.constant_mape);
  json["apart"] = GroupsToJson(validation.apart);
  json["groups"] = GroupsToJson(validation.groups);
  json["worst"] = validation.worst;
  json["unpredicted"] = validation.unpredicted;
  json["parameters"] = Json::array();
  for (const FittedSet& set : validation.parameters) json["parameters"].push_back(SetToJson(set));
  json["rows"] = Json::array();
  for (const ValidatedRow& row : validation.rows) json["rows"].push_back(RowToJson(row));
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
