#include "stallscope/document/recommendation.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json WorkloadToJson(const RecommendedWorkload& workload) {
  Json json = {{"model", workload.model}, {"dtype", workload.dtype}};
  Put(json, "dataset", workload.dataset);
  Put(json, "samples", workload.samples);
  Put(json, "epochs", workload.epochs);
  Put(json, "steps", workload.steps);
  if (!workload.batch_per_device.empty()) json["batch_per_device"] = workload.batch_per_device;
  Put(json, "global_batch", workload.global_batch);
  return json;
}

Json QuestionToJson(const RecommendedQuestion& question) {
  Json json = Json::object();
  Put(json, "deadline_h", question.deadline_h);
  Put(json, "budget_usd", question.budget_usd);
  json["confidence"] = question.confidence;
  json["objective"] = question.objective;
  json["confidence_steps"] = question.confidence_steps;
  json["max_nodes"] = question.max_nodes;
  json["spot"] = question.spot;
  Put(json, "provider", question.provider);
  Put(json, "region", question.region);
  Put(json, "gpu", question.gpu);
  return json;
}

Json MoneyToJson(const RecommendedMoney& money) {
  return {{"setup_h", money.setup_h},
          {"storage_usd_gb_month", money.storage_usd_gb_month},
          {"storage_gb", money.storage_gb},
          {"interruptions_per_machine_hour", money.interruptions_per_machine_hour},
          {"assumed", money.assumed}};
}

Json StallsToJson(const RecommendedCandidate& candidate) {
  Json json = Json::object();
  Put(json, "compute", candidate.compute_s);
  Put(json, "interconnect", candidate.interconnect_s);
  Put(json, "network", candidate.network_s);
  Put(json, "prep", candidate.prep_s);
  Put(json, "fetch", candidate.fetch_s);
  return json;
}

Json CandidateToJson(const RecommendedCandidate& candidate) {
  Json json = {{"instance", candidate.instance},
               {"provider", candidate.provider},
               {"region", candidate.region},
               {"market", candidate.market},
               {"gpu", candidate.gpu},
               {"gpus_per_node", candidate.gpus_per_node},
               {"nodes", candidate.nodes},
               {"devices", candidate.devices},
               {"batch_per_device", candidate.batch_per_device},
               {"global_batch", candidate.batch_per_device * candidate.devices},
               {"step_time_s", ToJson(candidate.step_time_s)},
               {"samples_per_s", ToJson(candidate.samples_per_s)},
               {"stalls", StallsToJson(candidate)},
               {"setup_h", candidate.setup_h},
               {"work_h", ToJson(candidate.work_h)},
               {"hours", ToJson(candidate.hours)},
               {"usd_hour", candidate.usd_hour},
               {"billing", {{"granularity_s", candidate.granularity_s}, {"minimum_s", candidate.minimum_s}}},
               {"storage_usd_hour", candidate.storage_usd_hour},
               {"cost_usd", ToJson(candidate.cost_usd)},
               {"pays_for", candidate.pays_for}};
  Put(json, "probability_in_time", candidate.probability_in_time);
  Put(json, "probability_in_budget", candidate.probability_in_budget);
  json["basis"] = candidate.basis;
  json["from"] = candidate.from;
  Put(json, "price_date", candidate.price_date);
  json["price_stale"] = candidate.price_stale;
  json["price_from"] = candidate.price_from;
  if (candidate.spot) {
    json["spot"] = {{"interruptions", candidate.spot->interruptions},
                    {"checkpoint_every_s", candidate.spot->checkpoint_every_s},
                    {"checkpoint_s", candidate.spot->checkpoint_s},
                    {"restart_h", candidate.spot->restart_h},
                    {"stretch", candidate.spot->stretch}};
  }
  return json;
}

Json RejectedToJson(const RejectedMachine& rejected) {
  Json json = {{"instance", rejected.instance}, {"provider", rejected.provider}};
  Put(json, "nodes", rejected.nodes);
  json["reason"] = rejected.reason;
  json["detail"] = rejected.detail;
  return json;
}

Json NextToJson(const NextMeasurement& next) {
  return {{"instance", next.instance}, {"provider", next.provider}, {"nodes", next.nodes},
          {"minutes", next.minutes},   {"cost_usd", next.cost_usd}, {"worth_usd", next.worth_usd},
          {"why", next.why},           {"command", next.command}};
}

}  // namespace

std::string ToJson(const Recommendation& recommendation) {
  Json json = {{"schema", kRecommendationSchema},
               {"tool", {{"version", recommendation.tool.version}}},
               {"created", recommendation.created},
               {"argv", recommendation.argv},
               {"host", HostToJson(recommendation.host)},
               {"seed", 0},  // nothing is drawn; every document has the field
               {"workload", WorkloadToJson(recommendation.workload)},
               {"question", QuestionToJson(recommendation.question)},
               {"money", MoneyToJson(recommendation.money)},
               {"considered", recommendation.considered}};
  if (recommendation.choice) {
    json["choice"] = CandidateToJson(recommendation.candidates[*recommendation.choice]);
    json["choice"]["candidate"] = *recommendation.choice;
  }
  json["candidates"] = Json::array();
  for (const RecommendedCandidate& candidate : recommendation.candidates) {
    json["candidates"].push_back(CandidateToJson(candidate));
  }
  json["pareto"] = recommendation.pareto;
  json["top"] = recommendation.top;
  json["rejected"] = Json::array();
  for (const RejectedMachine& rejected : recommendation.rejected) {
    json["rejected"].push_back(RejectedToJson(rejected));
  }
  json["closest"] = Json::array();
  for (const ClosestCandidate& closest : recommendation.closest) {
    json["closest"].push_back(
        {{"candidate", closest.candidate}, {"missing", closest.missing}, {"would_fit", closest.would_fit}});
  }
  if (recommendation.next_measurement)
    json["next_measurement"] = NextToJson(*recommendation.next_measurement);
  json["notes"] = recommendation.notes;
  RequireFinite(json, "");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stallscope
