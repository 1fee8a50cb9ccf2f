#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "stallscope/base/units.h"
#include "stallscope/recommend/survey.h"

namespace stallscope {
namespace {

/// A stall from here on is worth a sentence; below the second nobody notices it.
constexpr double kWorthSaying = 0.10;
constexpr double kHardlyAny = 0.03;
/// What costs so much more than the best is blamed.
constexpr double kTwice = 2;

std::string Percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

/// A machine that is cut from a larger board has fewer links than its GPUs could take.
bool IsSliced(const Machine& machine, const Gpu* gpu) {
  return machine.interconnect_one_way && gpu != nullptr && gpu->nvlink_one_way &&
         machine.interconnect_one_way->value < gpu->nvlink_one_way->value;
}

std::string LinkText(const Machine& machine, const Gpu* gpu) {
  const std::string& name = machine.interconnect;
  if (name.starts_with("nvlink") && IsSliced(machine, gpu)) return "sliced NVLink";
  if (name.starts_with("nvswitch")) return "NVSwitch";
  if (name.starts_with("nvlink")) return "NVLink";
  if (name.starts_with("pcie")) return "PCIe";
  return "the link between its GPUs";
}

std::string NetworkText(const Machine& machine) {
  if (machine.fabric && machine.fabric->rate && machine.fabric->kind != "none")
    return fmt::format("{:g} Gbit of {}", machine.fabric->rate->value * 8 / 1e9, machine.fabric->kind);
  const auto rate = SustainedNetwork(machine);
  return rate ? fmt::format("{:g} Gbit", rate->value * 8 / 1e9) : "a network that nobody describes";
}

class Traits {
 public:
  Traits(const Survey& survey, const Machine& facts, const Gpu* gpu, SurveyMachine& machine)
      : survey_(survey), facts_(facts), gpu_(gpu), machine_(machine) {
    for (std::size_t i = 0; i < survey.cells.size(); ++i) {
      const SurveyCell& cell = survey.cells[i];
      if (cell.instance == facts.name && cell.provider == facts.provider) cells_.push_back(i);
    }
  }

  void Add() {
    Ranks();
    Stall(
        &SurveyCell::interconnect,
        [&](const std::string& share, const SurveyCell& cell) {
          return fmt::format("{} costs {} {} of each step", LinkText(facts_, gpu_), cell.model, share);
        },
        [&](const std::string& most) {
          return fmt::format("{} between its GPUs costs at most {} of any step", LinkText(facts_, gpu_),
                             most);
        });
    Stall(
        &SurveyCell::network,
        [&](const std::string& share, const SurveyCell& cell) {
          return fmt::format("{} of them wait {} of each step of {} for {}", cell.nodes, share, cell.model,
                             NetworkText(facts_));
        },
        [&](const std::string& most) {
          return fmt::format("{} between machines costs at most {} of any step", NetworkText(facts_), most);
        });
    Stall(
        &SurveyCell::prep,
        [&](const std::string& share, const SurveyCell& cell) {
          return fmt::format("its {} processors prepare too few samples: {} waits {} of each step for them",
                             facts_.vcpus.value_or(0), cell.model, share);
        },
        [&](const std::string& most) {
          return fmt::format("its processors keep its GPUs fed: preparation costs at most {}", most);
        });
    Stall(
        &SurveyCell::fetch,
        [&](const std::string& share, const SurveyCell& cell) {
          return fmt::format("{} waits {} of each step for its disk, memory holding too little of the data",
                             cell.model, share);
        },
        nullptr);
    Memory();
    if (facts_.burst == NetworkBurst::kCredit && facts_.network_ceiling && facts_.network_baseline) {
      machine_.shortcomings.push_back(fmt::format("its network's {:g} Gbit are credit; {:g} Gbit last",
                                                  facts_.network_ceiling->value * 8 / 1e9,
                                                  facts_.network_baseline->value * 8 / 1e9));
    }
  }

 private:
  const SurveyCell& Cell(std::size_t i) const { return survey_.cells[i]; }

  void Ranks() {
    std::vector<std::string> fastest;
    std::vector<std::string> cheapest;
    for (const SurveyBest& best : survey_.best) {
      const auto mine = [&](const std::optional<std::size_t>& cell) {
        return cell && std::find(cells_.begin(), cells_.end(), *cell) != cells_.end();
      };
      if (mine(best.fastest)) {
        fastest.push_back(fmt::format(
            "{} ({} an epoch{})", best.model, FormatDuration(Seconds(Cell(*best.fastest).epoch_time_s->mean)),
            Cell(*best.fastest).nodes > 1 ? fmt::format(" on {}", Cell(*best.fastest).nodes) : ""));
      }
      if (mine(best.cheapest)) {
        cheapest.push_back(
            fmt::format("{} ({:.2f} USD an epoch)", best.model, Cell(*best.cheapest).epoch_cost_usd->mean));
      }
    }
    if (!cheapest.empty())
      machine_.advantages.push_back(fmt::format("cheapest for {}", fmt::join(cheapest, ", ")));
    if (!fastest.empty())
      machine_.advantages.push_back(fmt::format("fastest for {}", fmt::join(fastest, ", ")));
    const SurveyCell* dearest = nullptr;
    for (const std::size_t i : cells_) {
      // Several machines are judged by their network below.
      if (Cell(i).nodes > 1 || !Cell(i).relative_cost) continue;
      if (dearest == nullptr || *Cell(i).relative_cost > *dearest->relative_cost) dearest = &Cell(i);
    }
    if (dearest != nullptr && *dearest->relative_cost >= kTwice) {
      machine_.shortcomings.push_back(fmt::format("an epoch of {} costs {:.1f} times that of the cheapest",
                                                  dearest->model, *dearest->relative_cost));
    }
  }

  /// The cell that waits longest makes a shortcoming; where all wait hardly, that is an advantage.
  void Stall(std::optional<SurveyStall> SurveyCell::*part,
             const std::function<std::string(const std::string& share, const SurveyCell&)>& blame,
             const std::function<std::string(const std::string& most)>& praise) {
    const SurveyCell* worst = nullptr;
    for (const std::size_t i : cells_) {
      const SurveyCell& cell = Cell(i);
      // Inside the machine, one of them says it all.
      if (!(cell.*part) || (part == &SurveyCell::interconnect && cell.nodes > 1 && HasAlone())) continue;
      if (worst == nullptr || (cell.*part)->share > (worst->*part)->share) worst = &cell;
    }
    if (worst == nullptr) return;
    const double share = (worst->*part)->share;
    if (share >= kWorthSaying) machine_.shortcomings.push_back(blame(Percent(share), *worst));
    if (praise && share < kHardlyAny) machine_.advantages.push_back(praise(Percent(std::max(0.01, share))));
  }

  bool HasAlone() const {
    return std::any_of(cells_.begin(), cells_.end(), [&](std::size_t i) { return Cell(i).nodes == 1; });
  }

  void Memory() {
    std::vector<std::string> models;
    for (const AbsentCell& absent : survey_.absent) {
      const bool mine = absent.instance == facts_.name;
      const bool seen = std::find(models.begin(), models.end(), absent.model) != models.end();
      if (!mine || seen) continue;
      models.push_back(absent.model);
      machine_.shortcomings.push_back(fmt::format("{}: {}", absent.model, absent.reason));
    }
  }

  const Survey& survey_;
  const Machine& facts_;
  const Gpu* gpu_;
  SurveyMachine& machine_;
  std::vector<std::size_t> cells_;
};

}  // namespace

void AddTraits(const Survey& survey, const Machine& facts, const Gpu* gpu, SurveyMachine& machine) {
  Traits(survey, facts, gpu, machine).Add();
}

}  // namespace stallscope
