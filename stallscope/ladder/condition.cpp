#include "stallscope/ladder/condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/stats/random.h"

namespace stallscope {

std::string ConditionName(Condition condition) {
  return ConditionNames()[static_cast<std::size_t>(condition)];
}

Condition ParseCondition(const std::string& name) {
  const std::vector<std::string>& names = ConditionNames();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Condition>(i);
  }
  throw UsageError(fmt::format("there is no condition '{}'", name), "use " + JoinAlternatives(names));
}

Rungs RungsOf(const Layout& layout, const DataChoice& data) {
  Rungs rungs;
  const auto decide = [&](Condition condition, bool present, const char* reason) {
    if (present) rungs.present.push_back(condition);
    if (!present) rungs.absent.push_back({.condition = ConditionName(condition), .reason = reason});
  };
  const bool several_devices = layout.DevicesPerHost() > 1;
  decide(Condition::kSolo, true, "");
  decide(Condition::kCrowd, several_devices, "one device per machine");
  decide(Condition::kNode, several_devices, "one device per machine");
  decide(Condition::kCluster, layout.nodes > 1, "one machine");
  decide(Condition::kWarm, data.given, "no --data");
  decide(Condition::kCold, data.given && data.evict, data.given ? "left out by --no-evict" : "no --data");
  return rungs;
}

Rungs Choose(const Rungs& rungs, const std::vector<Condition>& wanted) {
  const auto is_wanted = [&](Condition condition) {
    return std::find(wanted.begin(), wanted.end(), condition) != wanted.end();
  };
  Rungs chosen{.present = {}, .absent = rungs.absent};
  for (const Condition condition : rungs.present) {
    if (is_wanted(condition)) {
      chosen.present.push_back(condition);
    } else {
      chosen.absent.push_back({.condition = ConditionName(condition), .reason = "left out by --conditions"});
    }
  }
  for (const AbsentCondition& absent : rungs.absent) {
    if (is_wanted(ParseCondition(absent.condition))) {
      throw UsageError(
          fmt::format("--conditions asks for {}, which cannot be had: {}", absent.condition, absent.reason),
          "leave it out of --conditions");
    }
  }
  if (chosen.present.empty()) throw UsageError("--conditions leaves nothing to measure", "name at least one");
  return chosen;
}

int DevicesOf(Condition condition, const Layout& layout) {
  switch (condition) {
    case Condition::kSolo:
      return 1;
    case Condition::kCrowd:
    case Condition::kNode:
      return layout.DevicesPerHost();
    default:
      return layout.Ranks();
  }
}

bool Synchronised(Condition condition) {
  return condition != Condition::kSolo && condition != Condition::kCrowd;
}

bool UsesRealData(Condition condition) {
  return condition == Condition::kWarm || condition == Condition::kCold;
}

BlockRequest RequestFor(Condition condition, const Layout& layout, int round, int steps) {
  BlockRequest request;
  request.steps = steps;
  switch (condition) {
    case Condition::kSolo: {
      const int turn = round % layout.DevicesPerHost();
      for (int host = 0; host < layout.Hosts(); ++host) {
        request.ranks.push_back(host * layout.DevicesPerHost() + turn);
      }
      return request;
    }
    case Condition::kCrowd:
      break;
    case Condition::kNode:
      request.sync = Sync::kNode;
      break;
    case Condition::kCluster:
      request.sync = Sync::kCluster;
      break;
    case Condition::kWarm:
    case Condition::kCold:
      request.sync = layout.nodes > 1              ? Sync::kCluster
                     : layout.DevicesPerHost() > 1 ? Sync::kNode
                                                   : Sync::kNone;
      request.data = condition == Condition::kWarm ? DataSource::kWarm : DataSource::kCold;
      request.turn = round;
      break;
  }
  request.ranks.resize(static_cast<std::size_t>(layout.Ranks()));
  std::iota(request.ranks.begin(), request.ranks.end(), 0);
  return request;
}

std::vector<Condition> OrderOfRound(const std::vector<Condition>& conditions, int round, std::uint64_t seed) {
  const std::size_t count = conditions.size();
  if (count == 0) return {};
  const std::size_t group = static_cast<std::size_t>(round) / count;
  // A shuffled row and its rotations are a Latin square; the rotations come in random order.
  Random random(seed ^ (0x5851f42d4c957f2dULL * (group + 1)));
  std::vector<Condition> row = conditions;
  random.Shuffle(row);
  std::vector<std::size_t> rotations(count);
  std::iota(rotations.begin(), rotations.end(), 0);
  random.Shuffle(rotations);
  const std::size_t shift = rotations[static_cast<std::size_t>(round) % count];
  std::vector<Condition> order;
  for (std::size_t place = 0; place < count; ++place) order.push_back(row[(place + shift) % count]);
  return order;
}

}  // namespace stallscope
