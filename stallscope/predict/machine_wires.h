#pragma once

#include <optional>

#include "stallscope/catalog/topology.h"
#include "stallscope/cost/machine_plan.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {

/// A machine of the catalog as the cost formulas take it: the same parts in the same order, wires at their
/// own rates, and latencies by kind. Nothing where the rate of a wire is not known.
std::optional<cost::Topology> WiresOf(const MachineTopology& machine);

/// The link that a ring over the first `gpus` GPUs has, found by planning it on the machine's wires: the rate
/// of all parallel rings while every hop is in use. Nothing where a rate or a way is missing.
std::optional<InsideLink> PlannedInside(const MachineTopology& machine, int gpus);

}  // namespace stallscope
