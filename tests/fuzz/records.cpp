// What ranks and the hook write: lines of events, blocks, and the steps of an observed program.
#include <nlohmann/json.hpp>
#include <string>

#include "stallscope/base/error.h"
#include "stallscope/document/observation.h"
#include "stallscope/engine/collective.h"
#include "stallscope/engine/messages.h"
#include "stallscope/engine/rank_message.h"
#include "stallscope/hook/hook_launch.h"
#include "stallscope/ladder/observed_steps.h"
#include "stallscope/supervise/line_buffer.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

template <typename Read>
void Try(const Read& read) {
  try {
    ReadRankMessage("a line", read);
  } catch (const Error&) {  // the next reader may take the line
  }
}

void ParseLine(const std::string& line) {
  ParseRankEvent(line);
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_discarded()) return;
  Try([&] { HookFactsFromJson(json); });
  Try([&] { RankBlockFromJson(json); });
  Try([&] { EngineConfigFromJson(json); });
  Try([&] { BlockRequestFromJson(json); });
  Try([&] { WorkloadFactsFromJson(json); });
  Try([&] { CollectiveRequestFromJson(json); });
  Try([&] { CollectiveFactsFromJson(json); });
  Try([&] { CollectiveReportFromJson(json); });
}

}  // namespace

void ParseRecords(std::string_view bytes) {
  LineBuffer lines;
  lines.Append(bytes);
  lines.Append("\n");
  ObservedSteps steps(1);
  while (const auto line = lines.Next()) {
    ParseLine(*line);
    if (const auto step = ParseObservedStep(*line)) steps.Add(0, *step);
  }
  Observation observation;
  steps.Fill(observation);
  ToJson(observation);
}

}  // namespace stallscope
