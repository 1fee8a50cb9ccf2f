#include "stallscope/ladder/foreign_load.h"

#include <map>

namespace stallscope {

ForeignLoad ForeignLoadOf(const BlockResult& block, int cores_per_machine, bool one_host) {
  struct Machine {
    const RankBlock* first = nullptr;
    double ranks_cpu_s = 0;
  };
  std::map<int, Machine> machines;
  for (const RankBlock& rank : block.ranks) {
    Machine& machine = machines[one_host ? 0 : rank.node];
    if (machine.first == nullptr) machine.first = &rank;
    machine.ranks_cpu_s += rank.cpu_s;
  }
  ForeignLoad worst;
  bool first = true;
  for (const auto& [node, machine] : machines) {
    const double seconds =
        machine.first->machine_busy_s - machine.ranks_cpu_s + machine.first->machine_steal_s;
    const double wall = machine.first->end_s - machine.first->start_s;
    const double allowed = kForeignShareOfOneCore * wall + kTickSeconds * cores_per_machine;
    if (seconds > allowed) worst.polluted = true;
    if (first || seconds > worst.seconds) worst.seconds = seconds;
    first = false;
  }
  return worst;
}

}  // namespace stallscope
