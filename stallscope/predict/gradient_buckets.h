#pragma once

#include <span>
#include <vector>

#include "stallscope/cost/step.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// The gradients of a network in buckets of at least `cap` each, in the order of their readiness, at
/// `bytes_per_element`. A cap of 0 gives every tensor its own. When a gradient is ready follows from the
/// multiplications of the layers behind it: the backward pass works on them in proportion.
std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element, Bytes cap);

/// The same with a first bucket of its own size, as PyTorch has it, and with what each layer of the table
/// takes of the backward pass (shares that sum to one).
struct BucketSizes {
  Bytes first;
  Bytes others;
};
std::vector<cost::GradientBucket> BucketsOf(const Network& network, double bytes_per_element,
                                            const BucketSizes& sizes, std::span<const double> layer_shares);

/// PyTorch's default; other stacks fuse to sizes of that order (Horovod: 64 MB).
inline constexpr Bytes kUsualBucket{25.0 * (1 << 20)};

}  // namespace stallscope
