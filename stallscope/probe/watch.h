#pragma once

#include "stallscope/document/machine_card.h"
#include "stallscope/probe/rounds.h"

namespace stallscope {

/// How every quantity moved over the rounds, and which rounds stand out. At least four rounds.
WatchResult WatchOf(const ProbeRounds& rounds);

/// Fewer rounds show no trend.
inline constexpr std::size_t kFewestWatchedRounds = 4;

}  // namespace stallscope
