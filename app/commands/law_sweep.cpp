#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

#include "app/commands/law.h"
#include "app/commands/law_delivery.h"
#include "app/commands/law_sweep_job.h"
#include "app/commands/law_sweep_options.h"
#include "app/profile_delivery.h"
#include "stallscope/base/error.h"
#include "stallscope/law/law_document.h"

namespace stallscope {
namespace {

void PrintPlan(const LawSweepOptions& options, const std::optional<Sweep>& earlier) {
  const std::vector<SweepCell> left = StillToMeasure(options.cells, earlier.value_or(Sweep{}), options.cell);
  const SweepPlan plan = PlanSweep(left, options.cell, {}, FirstVisitSeconds(options));
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const SweepCell& cell = plan.cells[i];
    std::vector<std::string> links;
    for (const SweepLink& link : cell.links) links.push_back(link.name);
    fmt::print("{:<40} {:>7} {:>3} ranks  {:<26} {:>5.0f} s\n", cell.network.spec, cell.bucket, cell.ranks,
               fmt::format("{}", fmt::join(links, ",")), plan.cell_seconds[i]);
  }
  std::map<std::string, std::vector<std::string>> dropped;
  for (const DroppedPoint& point : plan.dropped)
    dropped[point.cell.network.spec].push_back(point.cell.bucket + " at " + point.link.name);
  for (const auto& [network, points] : dropped)
    fmt::print("left out: {}: {}\n", network, fmt::join(points, ", "));
  fmt::print("{} points in {} launches, about {}; {} left out for --max-time\n", plan.points,
             plan.cells.size(), FormatDuration(Seconds(plan.seconds)), plan.dropped.size());
  fmt::print("then those known less well than to {:.3g} % of their step again, for a third of that time\n",
             100 * options.revisit_above);
}

int RunLawSweep(LawSweepFlags& flags, const std::vector<std::string>& argv) {
  flags.Read();
  const LawSweepOptions& options = flags.options;
  std::optional<Sweep> earlier;
  if (!options.resume.empty()) earlier = ReadSweep(options.resume);
  if (options.dry_run) {
    PrintPlan(options, earlier);
    return kExitOk;
  }
  const OutputFolder folder = earlier ? OutputFolder{.path = options.resume, .is_new = false}
                                      : MakeOutputFolder(options.out, options.force);
  Say(options.output, fmt::format("results go to {}", folder.path.string()));
  LawSweepJob job(options, folder.path, earlier);
  job.Run();
  const std::optional<int> signal = job.SignalExitCode();
  if (signal) {
    Say(options.output, fmt::format("interrupted: finished rounds are in {}; go on with --resume {}",
                                    folder.path.string(), folder.path.string()));
    return *signal;
  }
  DeliverLaw(MakeLaw(ReadSweep(folder.path), {.seed = options.seed}), argv,
             {.file = (folder.path / "law.json").string(),
              .html = options.html,
              .store = options.store,
              .keep_in_store = options.keep_in_store,
              .output = options.output});
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareLawSweep(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<LawSweepFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunLawSweep(*flags, argv); };
}

}  // namespace stallscope
