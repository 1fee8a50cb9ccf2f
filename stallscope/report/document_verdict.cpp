#include "stallscope/report/document_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "stallscope/document/prediction.h"
#include "stallscope/document/profile.h"
#include "stallscope/report/amounts.h"
#include "stallscope/report/comparison_console.h"
#include "stallscope/report/console.h"
#include "stallscope/report/prediction_verdict.h"
#include "stallscope/report/tables.h"

namespace stallscope {
namespace {

std::string Counted(std::int64_t count, std::string noun) {
  if (count != 1 && noun.ends_with('y')) {
    noun.replace(noun.size() - 1, 1, "ies");
  } else if (count != 1 && !noun.ends_with('s')) {
    noun += 's';
  }
  return fmt::format("{} {}", AmountText(static_cast<double>(count), ""), noun);
}

std::string WordsAt(const Json& document, const std::string& path) {
  const Json* field = FieldAt(document, path);
  return field && field->is_string() ? field->get<std::string>() : "";
}

/// What a field says, with its interval; empty where it is absent.
std::string Said(const Json& document, const std::string& path) {
  return FieldCell(FieldAt(document, path), path.substr(path.rfind('.') + 1), "").text;
}

std::string MachinesText(const Json& cluster) {
  const bool emulated = cluster.value("emulated", false);
  const int nodes = cluster.value("nodes", 1);
  return fmt::format("{} with {}{}", Counted(nodes, emulated ? "emulated machine" : "machine"),
                     Counted(cluster.value("devices_per_node", 1), "device"), nodes == 1 ? "" : " each");
}

std::string ComparisonVerdict(const Json& document) {
  std::string text;
  const std::string baseline = WordsAt(document, "baseline.file");
  for (const Json& other : document["others"]) {
    ComparedProfile compared;
    compared.profile.file = other.value("file", "");
    if (const Json* relative = FieldAt(other, "total.relative")) {
      compared.total.relative = Estimate{(*relative)["mean"], (*relative)["low"], (*relative)["high"]};
    }
    const std::string verdict = WordsAt(other, "total.verdict");
    for (const Change change : {Change::kBetter, Change::kWorse, Change::kIndistinguishable}) {
      if (ToString(change) == verdict) compared.total.verdict = change;
    }
    text += (text.empty() ? "" : " ") + Verdict(compared, baseline);
  }
  return text;
}

/// "1 quantity was", "3 quantities were".
std::string Were(int count) {
  return Counted(count, "quantity") + (count == 1 ? " was" : " were");
}

std::string MachineVerdict(const Json& document) {
  const Json* lines = FieldAt(document, "expectation.lines");
  std::string facts;
  const auto add = [&](const std::string& what, const std::string& said) {
    if (!said.empty()) facts += fmt::format("{}{} {}", facts.empty() ? "" : "; ", what, said);
  };
  add("decoding", Said(document, "decode.all_cores_images_per_s"));
  add("memory", Said(document, "memory.triad_all_cores.bytes_per_s"));
  for (const Json& curve : document.value("collectives", Json::array())) {
    add(curve.value("where", "") + " link", Said(curve, "fit.bytes_per_s"));
  }
  if (!facts.empty()) facts = "Measured: " + facts + ".";
  if (!lines) return facts;
  int missed = 0, met = 0;
  for (const Json& line : *lines) {
    missed += line.value("verdict", "") == "missed" ? 1 : 0;
    met += line.value("verdict", "") == "met" ? 1 : 0;
  }
  return fmt::format("Of what is expected of {}, {} met and {} missed. {}",
                     WordsAt(document, "expectation.of"), Were(met), Were(missed), facts);
}

std::string ValidationVerdict(const Json& document) {
  if (!FieldAt(document, "all_reduce.mape")) return "No row could be predicted.";
  std::string text = fmt::format(
      "Predictions are {} off on average over {} (median {}), and {} of the rows lie inside their 95 % "
      "interval.",
      Said(document, "all_reduce.mape"), Counted(document["all_reduce"].value("series", 0), "series"),
      Said(document, "all_reduce.median"), Said(document, "all_reduce.coverage"));
  if (FieldAt(document, "perfect_scaling_mape")) {
    text += fmt::format(" Perfect scaling would be {} off.", Said(document, "perfect_scaling_mape"));
  }
  return text;
}

std::string RecommendationVerdict(const Json& document) {
  const Json* chosen = FieldAt(document, "choice");
  if (!chosen) return "Nothing satisfies the constraints.";
  std::string text = fmt::format("Rent {} of {} ({}): {}, {}", Counted(chosen->value("nodes", 1), "machine"),
                                 chosen->value("instance", ""), chosen->value("market", ""),
                                 Said(*chosen, "hours"), Said(*chosen, "cost_usd"));
  // Only a deadline has a probability of being kept.
  if (const Json* sure = FieldAt(*chosen, "probability_in_time")) {
    // No prediction is certain.
    text += sure->get<double>() > 0.99
                ? ", in time with a probability of over 99 %"
                : fmt::format(", in time with a probability of {}", Said(*chosen, "probability_in_time"));
  }
  return text + ".";
}

std::string SurveyVerdict(const Json& document) {
  std::string text;
  for (const Json& best : document.value("best", Json::array())) {
    text += fmt::format("{}{}: fastest on {}, cheapest on {}.", text.empty() ? "" : " ",
                        best.value("model", ""), best.value("fastest", "?"), best.value("cheapest", "?"));
  }
  return text;
}

}  // namespace

std::string TitleOf(const Json& document) {
  const std::string schema = document.value("schema", "");
  const std::string host = WordsAt(document, "host.name");
  const std::string model = WordsAt(document, "workload.model");
  if (schema.starts_with("stallscope.profile/")) {
    return fmt::format("{} on {}", model, MachinesText(document["cluster"]));
  }
  if (schema.starts_with("stallscope.comparison/")) return "Against " + WordsAt(document, "baseline.file");
  if (schema.starts_with("stallscope.machine/")) {
    const std::string instance = WordsAt(document, "cloud.instance");
    return instance.empty() ? host : fmt::format("{} ({})", host, instance);
  }
  if (schema.starts_with("stallscope.validation/")) return WordsAt(document, "file");
  if (schema.starts_with("stallscope.recommendation/")) return "What to rent for " + model;
  if (schema.starts_with("stallscope.law/")) return "Layers, gradients and communication stalls on " + host;
  if (schema.starts_with("stallscope.survey/")) {
    return fmt::format("{} and {}", Counted(static_cast<int>(document["machines"].size()), "machine"),
                       Counted(static_cast<int>(document["workload"]["models"].size()), "network"));
  }
  if (!model.empty()) return model;
  return host.empty() ? schema : host;
}

std::string VerdictOf(const Json& document, const std::string& source) {
  const std::string schema = document.value("schema", "");
  if (schema.starts_with("stallscope.profile/")) return Verdict(ProfileFromJson(document.dump(), source));
  if (schema.starts_with("stallscope.comparison/")) return ComparisonVerdict(document);
  if (schema.starts_with("stallscope.machine/")) return MachineVerdict(document);
  if (schema.starts_with("stallscope.validation/")) return ValidationVerdict(document);
  if (schema.starts_with("stallscope.prediction/")) {
    return Verdict(PredictionFromJson(document.dump(), source));
  }
  if (schema.starts_with("stallscope.recommendation/")) return RecommendationVerdict(document);
  if (schema.starts_with("stallscope.survey/")) return SurveyVerdict(document);
  if (schema.starts_with("stallscope.law/")) return WordsAt(document, "answer");
  return "";
}

}  // namespace stallscope
