#pragma once

#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/engine/block.h"

namespace stallscope {

/// The rungs of the stall ladder, from the bottom up (docs/metrics.md).
enum class Condition { kSolo, kCrowd, kNode, kCluster, kWarm, kCold };

std::string ConditionName(Condition condition);

/// Throws UsageError with the nearest names where there is no such condition.
Condition ParseCondition(const std::string& name);

/// The machines of a job. Ranks count up machine by machine.
struct Layout {
  int nodes = 1;
  int devices_per_node = 1;
  /// The machines are network namespaces of one host. All devices then take part in `crowd` and in
  /// `node`, which reduces over an unshaped link, and only one device at a time runs `solo`.
  bool emulated = false;

  int Ranks() const { return nodes * devices_per_node; }
  /// How many devices share one real machine.
  int DevicesPerHost() const { return emulated ? Ranks() : devices_per_node; }
  int Hosts() const { return emulated ? 1 : nodes; }
};

/// Which rungs a job of this layout has, from the bottom up, and why the others are absent.
struct Rungs {
  std::vector<Condition> present;
  std::vector<AbsentCondition> absent;
};
/// Whether there is real data, and whether its files may be evicted from memory.
struct DataChoice {
  bool given = false;
  bool evict = true;
};
Rungs RungsOf(const Layout& layout, const DataChoice& data = {});

/// Keeps only the named rungs, and says of the others that the user left them out. Throws UsageError where a
/// named one is absent anyway, or none is left.
Rungs Choose(const Rungs& rungs, const std::vector<Condition>& wanted);

/// How many devices take part in a rung; of one host, where every host runs a group of its own.
int DevicesOf(Condition condition, const Layout& layout);

/// The block of a condition in a round. `solo` rotates over the devices of a machine, so that over
/// DevicesPerHost() rounds each has its turn; every machine runs its k-th device at once.
BlockRequest RequestFor(Condition condition, const Layout& layout, int round, int steps);

/// Whether gradients are averaged between ranks.
bool Synchronised(Condition condition);
/// Whether it trains on files.
bool UsesRealData(Condition condition);

/// The order of the conditions in a round: random, but in every group of as many rounds as there are
/// conditions each one stands at each place once, so that no place is favoured.
std::vector<Condition> OrderOfRound(const std::vector<Condition>& conditions, int round, std::uint64_t seed);

}  // namespace stallscope
