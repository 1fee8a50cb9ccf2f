#pragma once

#include <vector>

#include "stallscope/document/collective_curve.h"
#include "stallscope/document/quantity.h"

namespace stallscope {

/// What machines are compared by, for N machines with D ranks each: allreduce.BACKEND.NxD.bus_bandwidth at
/// the largest message and allreduce.BACKEND.NxD.latency at the smallest one, link.BACKEND.NxD.bandwidth and
/// link.BACKEND.NxD.latency of the fit.
std::vector<Quantity> QuantitiesOf(const CollectiveCurve& curve);

}  // namespace stallscope
