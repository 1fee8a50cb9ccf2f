#pragma once

#include <cstdint>
#include <vector>

namespace stallscope {

/// Every sample once, in an order that the seed and the epoch decide.
std::vector<std::uint32_t> ShuffledEpoch(std::size_t count, std::uint64_t seed, std::uint64_t epoch);

/// A rank's part of an order, as PyTorch's DistributedSampler deals: the order is padded from its own start
/// until it divides by the ranks, and rank r takes every ranks-th from r on.
std::vector<std::uint32_t> ShardOf(const std::vector<std::uint32_t>& order, int rank, int ranks);

/// A seed for one sample in one epoch: its crop and flip depend on neither workers nor ranks.
std::uint64_t SampleSeed(std::uint64_t seed, std::uint64_t epoch, std::uint32_t sample);

}  // namespace stallscope
