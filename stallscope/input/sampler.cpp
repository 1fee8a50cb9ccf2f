#include "stallscope/input/sampler.h"

#include <numeric>

#include "stallscope/stats/random.h"

namespace stallscope {

std::vector<std::uint32_t> ShuffledEpoch(std::size_t count, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  // Two draws apart: seed 1 of epoch 2 and seed 2 of epoch 1 are different orders.
  Random random(Random(seed).Next() + epoch);
  random.Shuffle(order);
  return order;
}

std::vector<std::uint32_t> ShardOf(const std::vector<std::uint32_t>& order, int rank, int ranks) {
  const auto step = static_cast<std::size_t>(ranks);
  const std::size_t share = (order.size() + step - 1) / step;
  std::vector<std::uint32_t> shard;
  shard.reserve(share);
  for (std::size_t i = 0; i < share; ++i)
    shard.push_back(order[(static_cast<std::size_t>(rank) + i * step) % order.size()]);
  return shard;
}

std::uint64_t SampleSeed(std::uint64_t seed, std::uint64_t epoch, std::uint32_t sample) {
  return Random(Random(Random(seed).Next() + epoch).Next() + sample).Next();
}

}  // namespace stallscope
