#include "app/commands/ladder_options.h"

#include <fmt/format.h>

#include <sstream>

#include "app/commands/add_option.h"
#include "app/page_file.h"
#include "stallscope/base/error.h"

namespace stallscope {
void LadderFlags::DeclareLaunch(CLI::App& app, LadderOptions& options, const char* group,
                                const char* ranks_help) {
  DeclareLaunchRequest(app, options.launch, group, ranks_help);
  AddOption(app, "--emulate", emulate, "SPEC", group,
            "machines made out of this one: nodes=2,bandwidth=1Gbit[,disk=100MB/s]");
}

void LadderFlags::DeclareMeasure(CLI::App& app, const char* group) {
  AddOption(app, "--tolerance", tolerance, "SHARE", group,
            "stop when every stall is known to this share of step time (default 3%)");
  AddOption(app, "--max-time", max_time, "TIME", group, "stop after this time in any case (default 5m)");
  AddOption(app, "--conditions", conditions, "LIST", group,
            "only these of solo,crowd,node,cluster,warm,cold");
  app.add_flag("--no-evict", no_evict,
               "never drive files out of this machine's memory: leaves out cold, for shared machines")
      ->group(group);
}

void LadderFlags::DeclareResults(CLI::App& app, LadderOptions& options, const char* group) {
  AddOption(app, "--out", options.out, "DIR", group,
            "folder for the results (default ./stallscope-DATE-TIME)");
  AddOption(app, "--html", options.html, "FILE", group, "write a page as well, for the browser");
  AddOption(app, "--store", options.store, "DIR", group,
            "keep the profile there instead of in STALLSCOPE_STORE or the user's data folder");
  app.add_flag("--no-store", no_store, "do not keep the profile in the store")->group(group);
  app.add_flag("--force", options.force, "write into a folder that exists")->group(group);
  DeclareOutput(app, options.output);
}

void LadderFlags::Read(LadderOptions& options, bool overwrites) const {
  const auto share = ParseShare(tolerance);
  if (!share || *share <= 0 || *share >= 1) {
    throw UsageError(fmt::format("--tolerance '{}' is no share between 0 and 1", tolerance),
                     "write it as 3% or 0.03");
  }
  options.tolerance = *share;
  options.max_time = ReadDuration(max_time, "--max-time");
  options.evict = !no_evict;
  std::istringstream names(conditions);
  for (std::string name; std::getline(names, name, ',');) options.conditions.push_back(ParseCondition(name));
  if (!emulate.empty()) options.emulate = ParseEmulate(emulate);
  options.keep_in_store = !no_store;
  CheckJsonFile(options.output);
  CheckReportFile("--html", options.html, options.force || overwrites, options.output);
}

}  // namespace stallscope
