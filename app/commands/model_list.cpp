#include "app/commands/model_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"
#include "stallscope/network/network.h"

namespace stallscope {

int ListModels(const OutputOptions& output) {
  nlohmann::ordered_json models = nlohmann::ordered_json::array();
  if (output.ShowText()) {
    fmt::print("{:<22} {:>13} {:>9} {:>7} {:>14} {:>13}\n", "model", "parameters", "gradients", "layers",
               "gradient bytes", "forward GMACs");
  }
  for (const std::string& name : NetworkNames()) {
    const NetworkTotals totals = Totals(BuildNetwork(name, {}));
    models.push_back({{"name", name},
                      {"parameters", totals.parameters},
                      {"gradient_tensors", totals.gradient_tensors},
                      {"layers", totals.layers},
                      {"gradient_bytes", totals.gradient_bytes},
                      {"forward_macs", totals.forward_macs}});
    if (output.ShowText()) {
      fmt::print("{:<22} {:>13} {:>9} {:>7} {:>14} {:>13.3f}\n", name, totals.parameters,
                 totals.gradient_tensors, totals.layers, totals.gradient_bytes,
                 static_cast<double>(totals.forward_macs) / 1e9);
    }
  }
  WriteJson(output, nlohmann::ordered_json{{"models", models}}.dump(2) + "\n");
  return kExitOk;
}

}  // namespace stallscope
