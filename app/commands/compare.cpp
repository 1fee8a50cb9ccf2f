#include "stallscope/ladder/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/output.h"
#include "app/page_file.h"
#include "app/profile_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/machine/host.h"
#include "stallscope/report/comparison_console.h"

namespace stallscope {
namespace {

struct CompareFlags {
  std::vector<std::string> files;
  std::string fail_if_slower;
  PageFlags page;
  OutputOptions output;
};

std::optional<double> Threshold(const CompareFlags& flags) {
  const std::string& text = flags.fail_if_slower;
  if (text.empty()) return std::nullopt;
  const auto share = ParseShare(text);
  // A bare 3 would mean 300 %, and never be what was meant.
  if (!share || (*share >= 1 && !text.ends_with('%'))) {
    throw UsageError(fmt::format("--fail-if-slower '{}' is no share", text), "write it as 3% or 0.03");
  }
  return share;
}

/// Throws where the threshold was missed, or where nothing can be said about it: a gate that cannot judge
/// must not look open.
void Judge(const Comparison& comparison, double threshold) {
  for (const ComparedProfile& other : comparison.others) {
    const ComparedTime& total = other.total;
    if (total.verdict == Change::kNotComparable || !total.relative) {
      throw Error(
          fmt::format("--fail-if-slower cannot judge {}: its step time and that of {} cannot be compared",
                      other.profile.file, comparison.baseline.file),
          "compare profiles that share a rung of the ladder");
    }
  }
  for (const ComparedProfile& other : comparison.others) {
    if (other.total.verdict != Change::kWorse || other.total.relative->mean <= threshold) continue;
    std::string what = Verdict(other, comparison.baseline.file);
    what.back() = ',';
    throw Error(fmt::format("{} and --fail-if-slower allows {:g} %", what, 100 * threshold),
                "look at the stalls for the cause, or allow more", kExitThresholdMissed);
  }
}

int RunCompare(const CompareFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output);
  const std::optional<double> threshold = Threshold(flags);
  if (flags.files.size() < 2) {
    throw UsageError(flags.files.empty() ? "no profile was given" : "there is nothing to compare with",
                     "give two profiles or more; the first is the baseline");
  }
  std::vector<Profile> profiles;
  for (const std::string& file : flags.files) profiles.push_back(ReadProfileAt(file));
  Comparison comparison = Compare(profiles, flags.files);
  comparison.tool.version = STALLSCOPE_VERSION;
  comparison.created = UtcNow();
  comparison.argv = argv;
  comparison.host = ReadHost({});
  if (flags.output.ShowText() && !flags.page.OnStdout()) {
    PrintComparison(comparison, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const std::string text = ToJson(comparison);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope compare");
  if (threshold) Judge(comparison, *threshold);
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareCompare(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<CompareFlags>();
  app.add_option("profiles", flags->files,
                 "profile.json files, or folders of runs; the first is the baseline")
      ->type_name("FILE")
      ->expected(0, -1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--fail-if-slower", flags->fail_if_slower,
                 "exit with 4 where any profile's mean step time is longer than the baseline's by more than "
                 "this share, and the 95 % interval of the difference lies above 0")
      ->type_name("SHARE");
  flags->page.DeclareWithForce(app);
  DeclareOutput(app, flags->output);
  app.footer("Example: stallscope compare before/ after/ --fail-if-slower 3%");
  return [flags, argv] { return RunCompare(*flags, argv); };
}

}  // namespace stallscope
