#include "app/commands/law_sweep_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/commands/add_option.h"
#include "app/commands/launch_flags.h"
#include "app/page_file.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/bucket.h"

namespace stallscope {
namespace {

constexpr int kMostRanks = 64;

std::vector<std::string> Parts(const std::string& list, const char* flag) {
  std::vector<std::string> parts;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');) {
    if (part.empty()) continue;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  if (parts.empty())
    throw UsageError(fmt::format("{} names nothing", flag), "see stallscope law sweep --help");
  return parts;
}

int RanksOf(const std::string& text) {
  const bool digits = text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
  const int ranks = digits ? std::stoi(text) : 0;
  if (ranks < 2 || ranks > kMostRanks) {
    throw UsageError(fmt::format("--ranks: '{}' is no number of ranks that can exchange gradients", text),
                     fmt::format("give 2 to {}", kMostRanks));
  }
  return ranks;
}

void CheckCountOf(int value, const char* flag) {
  if (value < 1) throw UsageError(fmt::format("{} {} cannot be meant", flag, value), "give 1 or more");
}

double ShareOf(const std::string& text, const char* flag) {
  const auto share = ParseShare(text);
  if (!share || *share <= 0 || *share >= 1) {
    throw UsageError(fmt::format("{} '{}' is no share between 0 and 1", flag, text),
                     "write it as 3% or 0.03");
  }
  return *share;
}

}  // namespace

void LawSweepFlags::Declare(CLI::App& app) {
  constexpr const char* kWhat = "What to measure";
  AddOption(app, "--networks", networks, "LIST", kWhat,
            "families (layers, bytes, resnet, vgg: default all) and networks of the zoo");
  AddOption(app, "--buckets", buckets, "LIST", kWhat,
            "how gradients are gathered (default tensor,25MiB,model)");
  AddOption(app, "--links", links, "LIST", kWhat,
            "unshaped, or rates of emulated links (default unshaped,1Gbit,200Mbit)");
  AddOption(app, "--ranks", ranks, "LIST", kWhat, "how many ranks exchange gradients (default 2)");
  AddOption(app, "--batch", workload.batch, "N", kWhat, "samples per rank (default 8)");
  AddOption(app, "--image-size", workload.image_size, "PIXELS", kWhat,
            "of networks of the zoo (default 64); layers and bytes have their own");
  AddOption(app, "--sequence-length", workload.sequence_length, "TOKENS", kWhat,
            "of networks that read tokens (default 32)");
  constexpr const char* kHow = "How long";
  AddOption(app, "--max-time", max_time, "TIME", kHow,
            "drop the points that would say least until the rest fits; without it all are measured");
  AddOption(app, "--rounds", rounds, "N", kHow,
            "at least so many of every point (default 3; 2 where a step takes longer than 8 s)");
  AddOption(app, "--tolerance", tolerance, "SHARE", kHow,
            "up to 6 rounds, 20 where they are short, until a stall is known to this share of step time "
            "(default 3%)");
  AddOption(app, "--seed", options.seed, "N", kHow, "order of the blocks (default 1)");
  app.add_flag("--dry-run", options.dry_run, "print the plan and end")->group(kHow);
  constexpr const char* kResults = "Results";
  AddOption(app, "--out", options.out, "DIR", kResults,
            "folder for the results (default ./stallscope-DATE-TIME)");
  AddOption(app, "--resume", options.resume, "DIR", kResults,
            "go on with an earlier sweep of this machine: what it has is not measured again");
  AddOption(app, "--again-above", again_above, "SHARE", kHow,
            "visit points again at the end whose stall is known less well than to this share of step time "
            "(default 5%, or --tolerance); with --resume first of all");
  AddOption(app, "--html", options.html, "FILE", kResults, "write a page as well, for the browser");
  AddOption(app, "--store", options.store, "DIR", kResults,
            "keep the law there instead of in STALLSCOPE_STORE or the user's data folder");
  app.add_flag("--no-store", no_store, "do not keep the law in the store")->group(kResults);
  app.add_flag("--force", options.force, "write into a folder that exists")->group(kResults);
  DeclareOutput(app, options.output);
  app.footer("Example: stallscope law sweep --networks layers,resnet18 --max-time 10m --out sweep");
}

void LawSweepFlags::Read() {
  CheckCountOf(workload.batch, "--batch");
  CheckCountOf(rounds, "--rounds");
  if (rounds < 2) throw UsageError("--rounds 1 has no interval", "give 2 or more");
  options.cell.tolerance = ShareOf(tolerance, "--tolerance");
  options.revisit_above = std::max(options.revisit_above, options.cell.tolerance);
  if (!again_above.empty()) {
    options.revisit_above = ShareOf(again_above, "--again-above");
    options.cell.again_above = options.revisit_above;
  }
  options.cell.min_rounds = rounds;
  options.cell.min_long_rounds = std::min(rounds, options.cell.min_long_rounds);
  options.cell.max_rounds = std::max(rounds, options.cell.max_rounds);
  options.cell.seed = options.seed;
  if (!max_time.empty()) options.max_time = ReadDuration(max_time, "--max-time");
  if (!options.resume.empty() && !options.out.empty())
    throw UsageError("--resume goes on in its own folder", "leave --out out");
  std::vector<SweepLink> all_links;
  for (const std::string& link : Parts(links, "--links")) all_links.push_back(ParseSweepLink(link));
  const std::vector<std::string> all_buckets = Parts(buckets, "--buckets");
  for (const std::string& bucket : all_buckets) ParseBucket(bucket);
  std::vector<std::string> names;
  for (const std::string& name : SplitNetworks(networks)) {
    if (!name.empty()) names.push_back(name);
  }
  for (const std::string& count : Parts(ranks, "--ranks")) {
    for (const SweepNetwork& network : DesignedNetworks(names, workload)) {
      for (const std::string& bucket : all_buckets)
        options.cells.push_back({network, bucket, RanksOf(count), all_links});
    }
  }
  options.keep_in_store = !no_store;
  CheckJsonFile(options.output);
  CheckReportFile("--html", options.html, options.force || !options.resume.empty(), options.output);
}

}  // namespace stallscope
