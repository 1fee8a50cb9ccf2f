#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/prediction.h"

namespace stallscope {
namespace {

PredictedWorkload ReadWorkload(const JsonFields& fields) {
  return {.model = fields.Text("model"),
          .profile = fields.OptionalText("profile"),
          .parameters = fields.Integer("parameters"),
          .gradient_bytes = fields.Integer("gradient_bytes"),
          .batch_per_device = fields.Integer("batch_per_device"),
          .dtype = fields.Text("dtype"),
          .stack = fields.Text("stack"),
          .image_size = fields.OptionalInteger("image_size"),
          .sequence_length = fields.OptionalInteger("sequence_length"),
          .dataset = fields.OptionalText("dataset"),
          .samples = fields.OptionalNumber("samples"),
          .sample_bytes = fields.OptionalNumber("sample_bytes")};
}

PredictedPart ReadPart(const JsonFields& fields) {
  return {.seconds = fields.Interval("seconds"),
          .share = fields.Number("share"),
          .basis = fields.Text("basis"),
          .from = fields.Text("from")};
}

std::optional<PredictedPart> ReadOptionalPart(const JsonFields& stalls, const char* key) {
  const auto fields = stalls.OptionalObject(key);
  return fields ? std::optional(ReadPart(*fields)) : std::nullopt;
}

std::optional<PredictedPrice> ReadPrice(const JsonFields& machine) {
  const auto fields = machine.OptionalObject("price");
  if (!fields) return std::nullopt;
  return PredictedPrice{.usd_per_hour = fields->Number("usd_per_hour"),
                        .machines = fields->SmallInteger("machines"),
                        .region = fields->Text("region"),
                        .date = fields->Text("date"),
                        .stale = fields->Truth("stale"),
                        .pays_for = fields->Text("pays_for")};
}

PredictedMachine ReadMachine(const JsonFields& fields) {
  const JsonFields stalls = fields.Object("stalls");
  PredictedMachine machine{.instance = fields.Text("instance"),
                           .provider = fields.Text("provider"),
                           .gpu = fields.Text("gpu"),
                           .description = fields.Text("description"),
                           .nodes = fields.SmallInteger("nodes"),
                           .devices_per_node = fields.SmallInteger("devices_per_node"),
                           .step_time_s = fields.Interval("step_time_s"),
                           .samples_per_s = fields.Interval("samples_per_s"),
                           .compute = ReadPart(stalls.Object("compute")),
                           .interconnect = ReadOptionalPart(stalls, "interconnect"),
                           .network = ReadOptionalPart(stalls, "network"),
                           .prep = ReadOptionalPart(stalls, "prep"),
                           .fetch = ReadOptionalPart(stalls, "fetch"),
                           .cached_share = fields.OptionalNumber("cached_share"),
                           .absent = {},
                           .epoch_time_s = fields.OptionalInterval("epoch_time_s"),
                           .epoch_cost_usd = fields.OptionalInterval("epoch_cost_usd"),
                           .price = ReadPrice(fields),
                           .basis = fields.Text("basis"),
                           .assumed = fields.Texts("assumed")};
  for (const JsonFields& absent : fields.Objects("absent")) {
    machine.absent.push_back({.part = absent.Text("part"), .reason = absent.Text("reason")});
  }
  return machine;
}

PredictedChoice ReadChoice(const JsonFields& fields) {
  PredictedChoice choice{.plain = ReadMachine(fields), .what_if = {}};
  if (const auto what_if = fields.OptionalObject("what_if")) {
    choice.what_if = PredictedChange{.what = what_if->Text("what"),
                                     .step_time_change = what_if->Interval("step_time_change"),
                                     .changed = ReadMachine(what_if->Object("changed"))};
  }
  return choice;
}

}  // namespace

Prediction PredictionFromJson(const std::string& text, const std::string& source) {
  const Json document = ParseDocument(text, source);
  RequireSchema(document, kPredictionSchema, source);
  const JsonFields fields(document, source);
  Prediction prediction{.tool = {.version = fields.Object("tool").Text("version"), .torch = {}},
                        .created = fields.Text("created"),
                        .argv = fields.Texts("argv"),
                        .host = HostFromJson(fields.Object("host")),
                        .workload = ReadWorkload(fields.Object("workload")),
                        .choices = {},
                        .refused = {}};
  for (const JsonFields& machine : fields.Objects("machines")) {
    prediction.choices.push_back(ReadChoice(machine));
  }
  if (prediction.choices.empty()) fields.Fail("machines", "holds no machine");
  for (const JsonFields& refused : fields.Objects("refused")) {
    prediction.refused.push_back({.instance = refused.Text("instance"),
                                  .nodes = refused.SmallInteger("nodes"),
                                  .reason = refused.Text("reason"),
                                  .fix = refused.Text("fix")});
  }
  return prediction;
}

}  // namespace stallscope
