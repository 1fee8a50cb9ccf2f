#pragma once

#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// What each layer of the table takes of a backward pass on processors; the shares sum to one. A layer's
/// operands, weights and gradients pass the memory at `memory` (of one rank, while all compute), and what
/// that leaves of the measured pass goes by multiplications:
///   backward of a layer = 2/3 of its traffic / memory + passes over its weights / memory + 2 macs x k,
/// with k such that the sum is the measured time. Where traffic alone would take longer than that, it goes by
/// traffic.
std::vector<double> BackwardShares(const Network& network, double batch, Seconds backward,
                                   BytesPerSecond memory);

}  // namespace stallscope
