#include "stallscope/document/host_json.h"
#include "stallscope/document/law.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

void PutPlace(Json& json, const LawPlace& place) {
  json["bucket"] = place.bucket;
  json["link"] = place.link;
  json["ranks"] = place.ranks;
}

/// An object that begins with its network, where it has one, and its place.
Json Placed(const LawPlace& place) {
  Json json = Json::object();
  PutPlace(json, place);
  return json;
}
Json Placed(const std::string& network, const LawPlace& place) {
  Json json = {{"network", network}};
  PutPlace(json, place);
  return json;
}

Json NetworkToJson(const LawNetwork& network) {
  Json json = {{"name", network.name},
               {"family", network.family},
               {"layers", network.layers},
               {"gradient_tensors", network.gradient_tensors},
               {"gradient_bytes", network.gradient_bytes},
               {"parameters", network.parameters},
               {"batch", network.batch}};
  Put(json, "image_size", network.image_size);
  Put(json, "sequence_length", network.sequence_length);
  return json;
}

Json JudgementToJson(const LawJudgement& judgement) {
  return {{"stall_s", judgement.stall_s}, {"error", judgement.error}};
}

Json PointToJson(const LawPoint& point) {
  Json json = Placed(point.network, point.place);
  Put(json, "bandwidth_bytes_per_s", point.bandwidth_bytes_per_s);
  json["all_reduces"] = point.all_reduces;
  json["rounds"] = point.rounds;
  json["compute_s"] = ToJson(point.compute_s);
  json["backward_s"] = point.backward_s;
  json["step_time_s"] = ToJson(point.step_time_s);
  json["stall_s"] = ToJson(point.stall_s);
  json["fitted"] = point.fitted;
  json["law"] = JudgementToJson(point.law);
  if (point.law_left_out) json["law_left_out"] = JudgementToJson(*point.law_left_out);
  if (point.macroscopic_left_out) json["macroscopic_left_out"] = JudgementToJson(*point.macroscopic_left_out);
  if (const auto& parts = point.parts) {
    json["parts"] = {{"wire_s", parts->wire_s},
                     {"calls_s", parts->calls_s},
                     {"processors_s", parts->processors_s},
                     {"stragglers_s", parts->stragglers_s},
                     {"hidden_s", parts->hidden_s}};
  }
  return json;
}

Json ErrorsToJson(const LawErrors& errors) {
  Json json = {{"points", errors.points}, {"networks", errors.networks},
               {"median", errors.median}, {"percentile90", errors.percentile90},
               {"worst", errors.worst},   {"bias", errors.bias}};
  Put(json, "worst_point", errors.worst_point);
  return json;
}

Json GroupsToJson(const std::vector<LawErrorGroup>& groups, const char* by) {
  Json list = Json::array();
  for (const LawErrorGroup& group : groups) {
    Json json = {{by, group.name}, {"law", ErrorsToJson(group.law)}};
    if (group.macroscopic) json["macroscopic"] = ErrorsToJson(*group.macroscopic);
    list.push_back(std::move(json));
  }
  return list;
}

Json AllErrorsToJson(const Law& law) {
  Json json = Json::object();
  if (law.law_errors) json["law"] = ErrorsToJson(*law.law_errors);
  if (law.macroscopic_errors) json["macroscopic"] = ErrorsToJson(*law.macroscopic_errors);
  if (law.fitted_errors) json["law_fitted"] = ErrorsToJson(*law.fitted_errors);
  if (!law.by_link.empty()) json["by_link"] = GroupsToJson(law.by_link, "link");
  if (!law.by_bucket.empty()) json["by_bucket"] = GroupsToJson(law.by_bucket, "bucket");
  return json;
}

Json DepthToJson(const LawDepth& depth) {
  Json json = Placed(depth.place);
  json["gradient_bytes"] = depth.gradient_bytes;
  json["rows"] = Json::array();
  for (const LawDepthRow& row : depth.rows) {
    json["rows"].push_back({{"network", row.network},
                            {"layers", row.layers},
                            {"gradient_tensors", row.gradient_tensors},
                            {"gradient_bytes", row.gradient_bytes},
                            {"all_reduces", row.all_reduces},
                            {"stall_s", ToJson(row.stall_s)},
                            {"law_s", row.law_s}});
  }
  json["per_layer_s"] = ToJson(depth.per_layer_s);
  json["distinguishable"] = depth.distinguishable;
  Put(json, "growth", depth.growth);
  return json;
}

Json ExtrapolationToJson(const LawExtrapolation& extrapolation) {
  Json json = {{"below_parameters", extrapolation.below_parameters},
               {"networks", extrapolation.networks},
               {"rows", Json::array()},
               {"worst", extrapolation.worst}};
  for (const LawExtrapolationRow& row : extrapolation.rows) {
    Json item = Placed(row.network, row.place);
    item["stall_s"] = ToJson(row.stall_s);
    item["predicted_s"] = row.predicted_s;
    item["error"] = row.error;
    item["error_of_step"] = row.error_of_step;
    json["rows"].push_back(std::move(item));
  }
  return json;
}

Json StatementToJson(const LawStatement& statement) {
  Json json = {{"text", statement.text}};
  Put(json, "bucket", statement.bucket);
  Put(json, "link", statement.link);
  Put(json, "ranks", statement.ranks);
  return json;
}

Json SweepToJson(const Law& law) {
  Json json = {{"planned_points", law.planned_points},
               {"measured_points", law.points.size()},
               {"seconds", law.sweep_seconds}};
  for (const LawMissing& missing : law.missing) {
    Json item = Placed(missing.network, missing.place);
    item["reason"] = missing.reason;
    json["missing"].push_back(std::move(item));
  }
  return json;
}

template <typename T, typename Convert>
Json List(const std::vector<T>& items, const Convert& convert) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

}  // namespace

std::string ToJson(const Law& law) {
  Json tool = {{"version", law.tool.version}};
  Put(tool, "torch", law.tool.torch);
  Json json = {
      {"schema", kLawSchema},         {"tool", tool},     {"created", law.created}, {"argv", law.argv},
      {"host", HostToJson(law.host)}, {"seed", law.seed}, {"answer", law.answer}};
  json["statements"] = List(law.statements, StatementToJson);
  json["sweep"] = SweepToJson(law);
  json["networks"] = List(law.networks, NetworkToJson);
  json["points"] = List(law.points, PointToJson);
  json["coefficients"] = List(law.coefficients, [](const LawValue& value) {
    return Json{{"name", value.name},
                {"unit", value.unit},
                {"meaning", value.meaning},
                {"value", ToJson(value.value)}};
  });
  json["errors"] = AllErrorsToJson(law);
  json["macroscopic"] = List(law.macroscopic, [](const MacroscopicForm& form) {
    Json item = Placed(form.place);
    item["points"] = form.points;
    item["base_s"] = ToJson(form.base_s);
    item["per_layer_s"] = ToJson(form.per_layer_s);
    item["per_byte_s"] = ToJson(form.per_byte_s);
    return item;
  });
  json["depth"] = List(law.depth, DepthToJson);
  if (law.extrapolation) json["extrapolation"] = ExtrapolationToJson(*law.extrapolation);
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
