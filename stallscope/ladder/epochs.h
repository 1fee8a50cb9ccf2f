#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/ladder/breakdown.h"

namespace stallscope {

/// The share of a data set that stays in the memory of each machine once it has been read. Every epoch is a
/// new random order, so each machine comes to read all of it.
double CachedShare(std::int64_t dataset_bytes, std::int64_t room_bytes);

/// The rounds as they would be if a share of the files were in memory: `cold` moves towards `warm` by that
/// share. Rounds without `cold` stay as they are.
std::vector<RoundTimes> SteadyTimes(const std::vector<RoundTimes>& rounds, double cached_share);

/// Nothing without `warm`, nor where part of the data must be fetched and `cold` was not measured.
std::optional<SteadyState> SteadyStateOf(const std::vector<RoundTimes>& rounds, double cached_share,
                                         std::uint64_t seed);

}  // namespace stallscope
