// Predicts a step from a profile's `crowd` (and its steps.csv) and a machine card, for
// bench/predict/local.py:
//   local_predict card.json profile.json NODES RANKS_PER_NODE [RATE]
// Prints one JSON object. The profile's other rungs are dropped before anything is predicted.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/predict/measured_prediction.h"

namespace {

std::string Read(const char* file) {
  std::ifstream in(file);
  if (!in) throw stallscope::Error(fmt::format("cannot read '{}'", file), "check the path");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace stallscope;
  if (argc < 5) {
    fmt::print(stderr, "usage: local_predict card.json profile.json NODES RANKS_PER_NODE [RATE]\n");
    return 2;
  }
  try {
    const MachineCard card = MachineCardFromJson(Read(argv[1]), argv[1]);
    Profile profile = ProfileFromJson(Read(argv[2]), argv[2]);
    std::erase_if(profile.conditions, [](const auto& condition) { return condition.first != "crowd"; });
    LinkTarget target{
        .nodes = std::stoi(argv[3]), .devices_per_node = std::stoi(argv[4]), .wire = {}, .straggling = {}};
    if (argc > 5) target.wire = ParseRate(argv[5]);
    const std::string steps = std::filesystem::path(argv[2]).replace_filename("steps.csv");
    target.straggling = StragglingOf(Read(steps.c_str()), steps);
    const MeasuredPrediction p = PredictMeasured(profile, card, target);
    fmt::print(
        "{{\"step_s\": {:.9f}, \"low\": {:.9f}, \"high\": {:.9f}, \"compute_s\": {:.9f}, \"transfer_s\": "
        "{:.9f}, "
        "\"exposed_s\": {:.9f}, \"processor_share\": {:.6f}}}\n",
        p.step_s.mean, p.step_s.low, p.step_s.high, p.compute_s.mean, p.transfer_s, p.exposed_s,
        p.processor_share);
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
