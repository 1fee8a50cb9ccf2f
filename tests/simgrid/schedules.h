#pragma once

#include <vector>

#include "tests/simgrid/platform.h"

namespace stallscope::simulated {

/// By rank: messages that it waits for.
using Awaited = std::vector<std::vector<int>>;

/// `steps` rounds around a ring: every rank sends its own chunk on, then what it has received.
/// Returns what each rank has to have received in the end.
Awaited AddRing(Schedule& schedule, const std::vector<int>& ring, int steps, double chunk,
                const Awaited& before, int stream = 0);

/// Up to the root (parent -1) and down again, in pieces of at most `piece` bytes; trees of one schedule have
/// different numbers.
void AddTree(Schedule& schedule, const std::vector<int>& ranks, const std::vector<int>& parent,
             double payload, double piece, int tree);

/// Binomial tree up and down, whole payloads.
void AddBinomial(Schedule& schedule, const std::vector<int>& ranks, double payload);

/// Every worker to every server, and from a server back to all when it has heard from all. Colocated: server
/// i sits beside worker i, and nothing travels between these two.
void AddServers(Schedule& schedule, const std::vector<int>& workers, const std::vector<int>& servers,
                double part, bool colocated);

/// NCCL's two trees over n ranks, as parents: odd ranks are leaves of the first, even ones of the second.
std::vector<int> FirstTree(int ranks);
std::vector<int> SecondTree(int ranks);

}  // namespace stallscope::simulated
