#include "stallscope/report/survey_console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/units.h"

namespace stallscope {
namespace {

/// One line of a network's table; a dash where a value does not apply.
struct CellText {
  std::string machine, step, interconnect, network, prep, fetch, epoch, usd, basis;
};

constexpr std::array<const char*, 9> kHeads = {"machine", "step",  "interconnect", "network", "prep",
                                               "fetch",   "epoch", "USD",          "basis"};

std::string Share(const std::optional<SurveyStall>& stall) {
  return stall ? fmt::format("{:.0f} %", 100 * stall->share) : "-";
}

std::string Times(const std::optional<double>& relative) {
  return relative ? fmt::format(" ({:.1f}x)", *relative) : "";
}

CellText TextOf(const SurveyCell& cell) {
  return {
      cell.nodes > 1 ? fmt::format("{} x {}", cell.nodes, cell.instance) : cell.instance,
      FormatSeconds(cell.step_time_s.mean),
      Share(cell.interconnect),
      Share(cell.network),
      Share(cell.prep),
      Share(cell.fetch),
      cell.epoch_time_s ? FormatDuration(Seconds(cell.epoch_time_s->mean)) + Times(cell.relative_time) : "-",
      cell.epoch_cost_usd ? fmt::format("{:.2f}", cell.epoch_cost_usd->mean) + Times(cell.relative_cost)
                          : "-",
      cell.basis};
}

std::vector<const SurveyCell*> CellsOf(const Survey& survey, const std::string& model) {
  std::vector<const SurveyCell*> cells;
  for (const SurveyCell& cell : survey.cells) {
    if (cell.model == model) cells.push_back(&cell);
  }
  return cells;
}

std::string Batch(const std::vector<const SurveyCell*>& cells) {
  return cells.empty() ? "" : fmt::format(", batch {} per GPU", cells.front()->batch_per_device);
}

void PrintTable(const Survey& survey, const std::string& model, std::ostream& out) {
  const std::vector<const SurveyCell*> cells = CellsOf(survey, model);
  out << fmt::format("{}, {}{}: shares of a step, time and cost of an epoch\n", model, survey.dtype,
                     Batch(cells));
  const auto line = [&](const CellText& t) {
    out << fmt::format("  {:<24} {:>8} {:>12} {:>8} {:>6} {:>6} {:>22} {:>16}  {}\n", Shorten(t.machine, 24),
                       t.step, t.interconnect, t.network, t.prep, t.fetch, t.epoch, t.usd, t.basis);
  };
  line({kHeads[0], kHeads[1], kHeads[2], kHeads[3], kHeads[4], kHeads[5], kHeads[6], kHeads[7], kHeads[8]});
  for (const SurveyCell* cell : cells) line(TextOf(*cell));
  for (const AbsentCell& absent : survey.absent) {
    if (absent.model == model)
      out << fmt::format("  {:<24} {}\n", Shorten(absent.instance, 24), absent.reason);
  }
  out << '\n';
}

std::string PriceOf(const SurveyMachine& machine) {
  if (!machine.usd_hour) return "no price";
  return fmt::format("{:g} USD an hour in {}, {}{}", *machine.usd_hour, machine.region,
                     machine.price_date.value_or(""), machine.price_stale ? ", stale" : "");
}

}  // namespace

void PrintSurvey(const Survey& survey, const TextStyle& style, std::ostream& out) {
  for (const std::string& model : survey.models) PrintTable(survey, model, out);
  for (const SurveyMachine& machine : survey.machines) {
    out << fmt::format("{}: {:g} x {}, {}\n", machine.instance, machine.gpus, machine.gpu, PriceOf(machine));
    const auto list = [&](char sign, const std::vector<std::string>& sentences) {
      for (const std::string& text : sentences) {
        out << "  " << sign << ' ' << Wrap(text, style.width - 4, 6) << '\n';
      }
    };
    list('+', machine.advantages);
    list('-', machine.shortcomings);
  }
  for (const std::string& note : survey.notes) out << Wrap("note: " + note, style.width, 2) << '\n';
}

void WriteSurveyCsv(const Survey& survey, std::ostream& out) {
  out << "model,provider,instance,nodes,devices,batch_per_device,step_time_s,step_time_low_s,step_time_high_"
         "s,"
         "compute_share,interconnect_share,network_share,prep_share,fetch_share,epoch_time_s,epoch_cost_usd,"
         "relative_time,relative_cost,basis\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  const auto share = [&](const std::optional<SurveyStall>& stall) {
    return number(stall ? std::optional(stall->share) : std::nullopt);
  };
  const auto mean = [&](const std::optional<Estimate>& value) {
    return number(value ? std::optional(value->mean) : std::nullopt);
  };
  for (const SurveyCell& cell : survey.cells) {
    out << fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{},{},{},{},{},{},{},{},{},{}\n",
                       CsvCell(cell.model), CsvCell(cell.provider), CsvCell(cell.instance), cell.nodes,
                       cell.devices, cell.batch_per_device, cell.step_time_s.mean, cell.step_time_s.low,
                       cell.step_time_s.high, share(cell.compute), share(cell.interconnect),
                       share(cell.network), share(cell.prep), share(cell.fetch), mean(cell.epoch_time_s),
                       mean(cell.epoch_cost_usd), number(cell.relative_time), number(cell.relative_cost),
                       cell.basis);
  }
}

void WriteSurveyMarkdown(const Survey& survey, std::ostream& out) {
  for (const std::string& model : survey.models) {
    const std::vector<const SurveyCell*> cells = CellsOf(survey, model);
    out << fmt::format("### {}, {}{}\n\n| {} |\n|---|--:|--:|--:|--:|--:|--:|--:|---|\n", model, survey.dtype,
                       Batch(cells), fmt::join(kHeads, " | "));
    for (const SurveyCell* cell : cells) {
      const CellText t = TextOf(*cell);
      out << fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", t.machine, t.step,
                         t.interconnect, t.network, t.prep, t.fetch, t.epoch, t.usd, t.basis);
    }
    out << '\n';
  }
  for (const SurveyMachine& machine : survey.machines) {
    out << fmt::format("**{}**: {:g} x {}, {}\n\n", machine.instance, machine.gpus, machine.gpu,
                       PriceOf(machine));
    for (const std::string& text : machine.advantages) out << "- good: " << text << '\n';
    for (const std::string& text : machine.shortcomings) out << "- bad: " << text << '\n';
    out << '\n';
  }
}

}  // namespace stallscope
