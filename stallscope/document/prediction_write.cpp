#include "stallscope/document/host_json.h"
#include "stallscope/document/prediction.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json WorkloadToJson(const PredictedWorkload& workload) {
  Json json = {{"model", workload.model}};
  Put(json, "profile", workload.profile);
  json.update({{"parameters", workload.parameters},
               {"gradient_bytes", workload.gradient_bytes},
               {"batch_per_device", workload.batch_per_device},
               {"dtype", workload.dtype},
               {"stack", workload.stack}});
  Put(json, "image_size", workload.image_size);
  Put(json, "sequence_length", workload.sequence_length);
  Put(json, "dataset", workload.dataset);
  Put(json, "samples", workload.samples);
  Put(json, "sample_bytes", workload.sample_bytes);
  return json;
}

Json PartToJson(const PredictedPart& part) {
  return {
      {"seconds", ToJson(part.seconds)}, {"share", part.share}, {"basis", part.basis}, {"from", part.from}};
}

Json StallsToJson(const PredictedMachine& machine) {
  Json json = {{"compute", PartToJson(machine.compute)}};
  const auto put = [&](const char* key, const std::optional<PredictedPart>& part) {
    if (part) json[key] = PartToJson(*part);
  };
  put("interconnect", machine.interconnect);
  put("network", machine.network);
  put("prep", machine.prep);
  put("fetch", machine.fetch);
  return json;
}

Json PriceToJson(const PredictedPrice& price) {
  return {{"usd_per_hour", price.usd_per_hour},
          {"machines", price.machines},
          {"region", price.region},
          {"date", price.date},
          {"stale", price.stale},
          {"pays_for", price.pays_for}};
}

Json MachineToJson(const PredictedMachine& machine) {
  Json json = {{"instance", machine.instance},
               {"provider", machine.provider},
               {"gpu", machine.gpu},
               {"description", machine.description},
               {"nodes", machine.nodes},
               {"devices_per_node", machine.devices_per_node},
               {"step_time_s", ToJson(machine.step_time_s)},
               {"samples_per_s", ToJson(machine.samples_per_s)},
               {"stalls", StallsToJson(machine)},
               {"absent", Json::array()}};
  for (const AbsentPart& absent : machine.absent) {
    json["absent"].push_back({{"part", absent.part}, {"reason", absent.reason}});
  }
  Put(json, "cached_share", machine.cached_share);
  Put(json, "epoch_time_s", machine.epoch_time_s);
  Put(json, "epoch_cost_usd", machine.epoch_cost_usd);
  if (machine.price) json["price"] = PriceToJson(*machine.price);
  json["basis"] = machine.basis;
  json["assumed"] = machine.assumed;
  return json;
}

Json ChoiceToJson(const PredictedChoice& choice) {
  Json json = MachineToJson(choice.plain);
  if (choice.what_if) {
    json["what_if"] = {{"what", choice.what_if->what},
                       {"step_time_change", ToJson(choice.what_if->step_time_change)},
                       {"changed", MachineToJson(choice.what_if->changed)}};
  }
  return json;
}

}  // namespace

std::string ToJson(const Prediction& prediction) {
  Json json = {
      {"schema", kPredictionSchema},
      {"tool", {{"version", prediction.tool.version}}},
      {"created", prediction.created},
      {"argv", prediction.argv},
      {"host", HostToJson(prediction.host)},
      {"seed", 0},  // the draws behind the intervals are always the same; every document has the field
      {"workload", WorkloadToJson(prediction.workload)}};
  // Whoever asks for one machine reads the answer at the top.
  json.update(ChoiceToJson(prediction.choices.at(0)));
  json["machines"] = Json::array();
  for (const PredictedChoice& choice : prediction.choices) json["machines"].push_back(ChoiceToJson(choice));
  json["refused"] = Json::array();
  for (const RefusedMachine& refused : prediction.refused) {
    json["refused"].push_back({{"instance", refused.instance},
                               {"nodes", refused.nodes},
                               {"reason", refused.reason},
                               {"fix", refused.fix}});
  }
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
