#include "stallscope/ladder/foreign_load.h"

#include <map>

namespace stallscope {

ForeignLoad ForeignLoadOf(const BlockResult& block, int cores_per_machine, bool one_host) {
  struct Machine {
    /// The rank that watched the machine for longest: one that waits has its block over at once.
    const RankBlock* witness = nullptr;
    double ranks_cpu_s = 0;
  };
  std::map<int, Machine> machines;
  for (const RankBlock& rank : block.ranks) {
    Machine& machine = machines[one_host ? 0 : rank.node];
    const auto length = [](const RankBlock& seen) { return seen.end_s - seen.start_s; };
    if (machine.witness == nullptr || length(rank) > length(*machine.witness)) machine.witness = &rank;
    machine.ranks_cpu_s += rank.cpu_s;
  }
  ForeignLoad worst;
  bool first = true;
  for (const auto& [node, machine] : machines) {
    const double seconds =
        machine.witness->machine_busy_s - machine.ranks_cpu_s + machine.witness->machine_steal_s;
    const double wall = machine.witness->end_s - machine.witness->start_s;
    const double allowed = kForeignShareOfOneCore * wall + kTickSeconds * cores_per_machine;
    if (seconds > allowed) worst.polluted = true;
    if (first || seconds > worst.seconds) worst.seconds = seconds;
    first = false;
  }
  return worst;
}

}  // namespace stallscope
