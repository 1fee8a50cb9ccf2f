#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "stallscope/machine/foreign_watch.h"

namespace stallscope {

/// Ranks that measure together, and where they are.
struct CollectiveGroup {
  std::vector<int> ranks;  ///< global ones, rising
  int nodes = 1;

  bool InOneMachine() const { return nodes == 1; }
};

/// The groups of a job, the same on every rank: two and more ranks of the first machine; with several
/// machines one rank of each, and then all ranks. Up to kEveryCount ranks of a machine every count has a
/// group; beyond, powers of two and the whole machine.
std::vector<CollectiveGroup> CollectiveGroups(int nodes, int devices_per_node);

constexpr int kEveryCount = 8;

/// What one block of a request does.
enum class CollectiveKind {
  kAllReduce,  ///< `repeats` sums of `bytes`, back to back
  kPing,       ///< a message of `bytes` to and fro between the group's first two ranks, `repeats` times
  kStream,     ///< `repeats` messages of `bytes` from the first to the second, after one that is not timed
};

struct CollectiveBlock {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::int64_t bytes = 4;
  int repeats = 1;
  /// Before the clock starts: so many all-reduces of such a size. They bring the ranks together, and use up
  /// what a shaped link lets through above its rate for a start.
  std::int64_t warm_bytes = 4;
  int warm_repeats = 1;
};

/// Blocks that one group works through, one after another; the other ranks wait.
struct CollectiveRequest {
  std::size_t group = 0;  ///< of CollectiveGroups
  std::vector<CollectiveBlock> blocks;
};

/// Seconds of one repeat of each block, as one rank saw them; of a ping half a round trip. Empty for a rank
/// that is not in the group; 0 where a block is not this rank's to time (pings are the first rank's, streams
/// the second's).
using CollectiveTimes = std::vector<double>;

/// What one rank saw of a request.
struct CollectiveReport {
  CollectiveTimes times;
  /// Of its process and its machine during each block, the part before the clock started included.
  std::vector<LoadSpan> loads;
  std::string machine;  ///< ranks with the same one share their processors, whatever node they are on
  int cores = 1;        ///< of that machine
};

/// How much others disturbed a block of a request, in units of what can be borne (DisturbanceOf), on the
/// machine where it was worst.
double DisturbanceOf(const std::vector<CollectiveReport>& of_ranks, std::size_t block);

/// Runs requests in a job that stays up. Throws Error when the job is lost.
class CollectiveRunner {
 public:
  virtual ~CollectiveRunner() = default;
  /// Every rank's report, by rank.
  virtual std::vector<CollectiveReport> Run(const CollectiveRequest& request) = 0;
};

nlohmann::json ToJson(const CollectiveRequest& request);
CollectiveRequest CollectiveRequestFromJson(const nlohmann::json& json);
nlohmann::json ToJson(const CollectiveReport& report);
CollectiveReport CollectiveReportFromJson(const nlohmann::json& json);

}  // namespace stallscope
