#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {

/// What is said of the links of a cluster, by a row of a table or by a plan. Null, absent and empty: nothing.
struct LinkDescription {
  std::string_view interconnect;  ///< inside a machine
  const Gpu* gpu = nullptr;
  const Machine* machine = nullptr;
  std::optional<double> network_gbps;
  std::string_view transport;
};

/// Fills the links of a case whose GPUs, machines and stack are there already; what a default had to fill is
/// marked in the case and named in `assumed` (docs/models.md).
void FillLinks(ScalingCase& scaling, const LinkDescription& said, std::vector<std::string>& assumed);

/// Hardware threads of a machine; where nobody says, what machines with so many GPUs usually have.
double CpusOf(const Machine* machine, int gpus);

}  // namespace stallscope
