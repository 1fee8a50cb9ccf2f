#pragma once

#include <vector>

#include "stallscope/cost/step.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// The gradients of a network in buckets of at least `cap` each, in the order of their readiness, at
/// `bytes_per_element`. A cap of 0 gives every tensor its own. When a gradient is ready follows from the
/// multiplications of the layers behind it: the backward pass works on them in proportion.
std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element, Bytes cap);

/// PyTorch's default; other stacks fuse to sizes of that order (Horovod: 64 MB).
inline constexpr Bytes kUsualBucket{25.0 * (1 << 20)};

}  // namespace stallscope
