#include <utility>

#include "stallscope/document/host_json.h"
#include "stallscope/document/law.h"
#include "stallscope/document/schema_check.h"

namespace stallscope {
namespace {

LawPlace PlaceFrom(const JsonFields& fields) {
  return {fields.Text("bucket"), fields.Text("link"), fields.SmallInteger("ranks")};
}

LawNetwork NetworkFrom(const JsonFields& fields) {
  return {.name = fields.Text("name"),
          .family = fields.Text("family"),
          .layers = fields.Integer("layers"),
          .gradient_tensors = fields.Integer("gradient_tensors"),
          .gradient_bytes = fields.Integer("gradient_bytes"),
          .parameters = fields.Integer("parameters"),
          .batch = fields.SmallInteger("batch"),
          .image_size = fields.OptionalInteger("image_size"),
          .sequence_length = fields.OptionalInteger("sequence_length")};
}

LawJudgement JudgementFrom(const JsonFields& fields) {
  return {fields.Number("stall_s"), fields.Number("error")};
}

std::optional<LawJudgement> OptionalJudgement(const JsonFields& fields, const char* key) {
  const auto object = fields.OptionalObject(key);
  return object ? std::optional(JudgementFrom(*object)) : std::nullopt;
}

LawPoint PointFrom(const JsonFields& fields) {
  LawPoint point{.network = fields.Text("network"),
                 .place = PlaceFrom(fields),
                 .bandwidth_bytes_per_s = fields.OptionalNumber("bandwidth_bytes_per_s"),
                 .all_reduces = fields.SmallInteger("all_reduces"),
                 .rounds = fields.SmallInteger("rounds"),
                 .compute_s = fields.Interval("compute_s"),
                 .backward_s = fields.Number("backward_s"),
                 .step_time_s = fields.Interval("step_time_s"),
                 .stall_s = fields.Interval("stall_s"),
                 .fitted = fields.Truth("fitted"),
                 .law = JudgementFrom(fields.Object("law")),
                 .law_left_out = OptionalJudgement(fields, "law_left_out"),
                 .macroscopic_left_out = OptionalJudgement(fields, "macroscopic_left_out"),
                 .parts = std::nullopt};
  if (const auto parts = fields.OptionalObject("parts")) {
    point.parts = LawParts{.wire_s = parts->Number("wire_s"),
                           .calls_s = parts->Number("calls_s"),
                           .processors_s = parts->Number("processors_s"),
                           .stragglers_s = parts->Number("stragglers_s"),
                           .hidden_s = parts->Number("hidden_s")};
  }
  return point;
}

LawErrors ErrorsFrom(const JsonFields& fields) {
  LawErrors errors{.points = fields.SmallInteger("points"),
                   .networks = fields.SmallInteger("networks"),
                   .median = fields.Number("median"),
                   .percentile90 = fields.Number("percentile90"),
                   .worst = fields.Number("worst"),
                   .bias = fields.Number("bias"),
                   .worst_point = std::nullopt};
  if (fields.Has("worst_point")) errors.worst_point = static_cast<std::size_t>(fields.Integer("worst_point"));
  return errors;
}

std::optional<LawErrors> OptionalErrors(const JsonFields& fields, const char* key) {
  const auto object = fields.OptionalObject(key);
  return object ? std::optional(ErrorsFrom(*object)) : std::nullopt;
}

std::vector<LawErrorGroup> GroupsFrom(const JsonFields& errors, const char* key, const char* by) {
  std::vector<LawErrorGroup> groups;
  if (!errors.Has(key)) return groups;
  for (const JsonFields& group : errors.Objects(key)) {
    groups.push_back({group.Text(by), ErrorsFrom(group.Object("law")), OptionalErrors(group, "macroscopic")});
  }
  return groups;
}

LawDepth DepthFrom(const JsonFields& fields) {
  LawDepth depth{.place = PlaceFrom(fields),
                 .gradient_bytes = fields.Number("gradient_bytes"),
                 .rows = {},
                 .per_layer_s = fields.Interval("per_layer_s"),
                 .distinguishable = fields.Truth("distinguishable"),
                 .growth = fields.OptionalInterval("growth")};
  for (const JsonFields& row : fields.Objects("rows")) {
    depth.rows.push_back({.network = row.Text("network"),
                          .layers = row.Integer("layers"),
                          .gradient_tensors = row.Integer("gradient_tensors"),
                          .gradient_bytes = row.Integer("gradient_bytes"),
                          .all_reduces = row.SmallInteger("all_reduces"),
                          .stall_s = row.Interval("stall_s"),
                          .law_s = row.Number("law_s")});
  }
  return depth;
}

LawExtrapolation ExtrapolationFrom(const JsonFields& fields) {
  LawExtrapolation extrapolation{.below_parameters = fields.Integer("below_parameters"),
                                 .networks = fields.Texts("networks"),
                                 .rows = {},
                                 .worst = fields.Number("worst")};
  for (const JsonFields& row : fields.Objects("rows")) {
    extrapolation.rows.push_back({.network = row.Text("network"),
                                  .place = PlaceFrom(row),
                                  .stall_s = row.Interval("stall_s"),
                                  .predicted_s = row.Number("predicted_s"),
                                  .error = row.Number("error"),
                                  .error_of_step = row.Number("error_of_step")});
  }
  return extrapolation;
}

LawStatement StatementFrom(const JsonFields& fields) {
  LawStatement statement{.text = fields.Text("text"),
                         .bucket = fields.OptionalText("bucket"),
                         .link = fields.OptionalText("link"),
                         .ranks = std::nullopt};
  if (fields.Has("ranks")) statement.ranks = fields.SmallInteger("ranks");
  return statement;
}

void ReadSweepOf(Law& law, const JsonFields& sweep) {
  law.planned_points = static_cast<std::size_t>(sweep.Integer("planned_points"));
  law.sweep_seconds = sweep.Number("seconds");
  if (!sweep.Has("missing")) return;
  for (const JsonFields& missing : sweep.Objects("missing"))
    law.missing.push_back({missing.Text("network"), PlaceFrom(missing), missing.Text("reason")});
}

}  // namespace

Law LawFromJson(const std::string& text, const std::string& source) {
  const Json json = ParseDocument(text, source);
  RequireSchema(json, kLawSchema, source);
  RequireShippedSchema(json, source);
  const JsonFields fields(json, source);
  Law law;
  const JsonFields tool = fields.Object("tool");
  law.tool = {.version = tool.Text("version"), .torch = tool.OptionalText("torch")};
  law.created = fields.Text("created");
  law.argv = fields.Texts("argv");
  law.host = HostFromJson(fields.Object("host"));
  law.seed = fields.Unsigned("seed");
  law.answer = fields.Text("answer");
  for (const JsonFields& item : fields.Objects("statements")) law.statements.push_back(StatementFrom(item));
  ReadSweepOf(law, fields.Object("sweep"));
  for (const JsonFields& item : fields.Objects("networks")) law.networks.push_back(NetworkFrom(item));
  for (const JsonFields& item : fields.Objects("points")) law.points.push_back(PointFrom(item));
  for (const JsonFields& item : fields.Objects("coefficients")) {
    law.coefficients.push_back(
        {item.Text("name"), item.Text("unit"), item.Text("meaning"), item.Interval("value")});
  }
  const JsonFields errors = fields.Object("errors");
  law.law_errors = OptionalErrors(errors, "law");
  law.macroscopic_errors = OptionalErrors(errors, "macroscopic");
  law.fitted_errors = OptionalErrors(errors, "law_fitted");
  law.by_link = GroupsFrom(errors, "by_link", "link");
  law.by_bucket = GroupsFrom(errors, "by_bucket", "bucket");
  for (const JsonFields& item : fields.Objects("macroscopic")) {
    law.macroscopic.push_back({PlaceFrom(item), item.SmallInteger("points"), item.Interval("base_s"),
                               item.Interval("per_layer_s"), item.Interval("per_byte_s")});
  }
  for (const JsonFields& item : fields.Objects("depth")) law.depth.push_back(DepthFrom(item));
  if (const auto found = fields.OptionalObject("extrapolation"))
    law.extrapolation = ExtrapolationFrom(*found);
  return law;
}

}  // namespace stallscope
