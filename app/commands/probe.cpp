#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/commands/probe_expect.h"
#include "app/commands/probe_job.h"
#include "app/commands/probe_options.h"
#include "app/machine_file.h"
#include "app/profile_delivery.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/probe/expect.h"
#include "stallscope/report/machine_console.h"

namespace stallscope {
namespace {

void Show(const MachineCard& card, const ProbeOptions& options, const std::string& file) {
  const OutputOptions& output = options.output;
  if (output.ShowText() && !options.page.OnStdout()) {
    PrintMachine(card, output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const std::string text = ToJson(card);
  WriteJson(output, text);
  options.page.Write(text, file);
}

/// Throws where something was missed, or where nothing could be compared: a gate that cannot judge must not
/// look open.
void Enforce(const MachineCard& card) {
  if (!card.expectation) return;
  const std::vector<ExpectedLine>& lines = card.expectation->lines;
  const auto has = [&](const char* verdict) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.verdict == verdict; });
  };
  if (has(kMissed)) {
    std::string what = ExpectationVerdict(*card.expectation);
    what.pop_back();  // errors end without a full stop
    throw Error(what, "look at the lines above, or allow more with --fail-below", kExitThresholdMissed);
  }
  if (!has(kMet) && !has(kUnsure)) {
    throw Error(fmt::format("this card and {} have no quantity in common", card.expectation->of),
                "measure the parts that are expected: leave out --only and --skip");
  }
}

int JudgeFinishedCard(const ProbeOptions& options, const std::vector<Quantity>& expected) {
  MachineCard card = ReadMachineAt(options.card);
  card.expectation = Judge(QuantitiesOf(card), expected, options.expect, options.fail_below);
  Show(card, options, options.card);
  Enforce(card);
  return kExitOk;
}

void Deliver(const MachineCard& card, const std::filesystem::path& folder, const ProbeOptions& options) {
  const std::filesystem::path file = folder / "machine.json";
  const std::string text = ToJson(card);
  std::optional<Error> lost;
  try {
    WriteFileAtomically(file, text);
  } catch (const Error& e) {
    lost = e;
  }
  Show(card, options, file.string());
  if (lost) throw Error(lost->what(), lost->hint);
  if (!options.keep_in_store) return;
  const std::string label = card.cloud && card.cloud->instance ? *card.cloud->instance : card.host.name;
  KeepInStore(text, {card.created, "machine", label, file}, options.store, options.output);
}

int RunProbe(ProbeFlags& flags, const std::vector<std::string>& argv) {
  flags.Read();
  const ProbeOptions& options = flags.options;
  // What cannot be compared with is said before a minute is spent.
  std::optional<std::vector<Quantity>> expected;
  if (!options.expect.empty()) expected = ExpectedOf(options.expect, options.catalog);
  if (!options.card.empty()) return JudgeFinishedCard(options, *expected);
  ProbeJob job(options, argv);
  if (options.dry_run) {
    job.PrintPlan();
    return kExitOk;
  }
  if (!job.Leads()) return job.Follow();
  const OutputFolder folder = MakeOutputFolder(options.out, options.force);
  const auto forget_folder = [&] {
    if (folder.is_new) std::filesystem::remove_all(folder.path);
  };
  std::optional<MachineCard> card;
  try {
    card = job.Measure();
  } catch (const Error&) {
    forget_folder();
    if (const auto code = job.interrupted()) return *code;
    throw;
  }
  if (!card) {
    forget_folder();
    Say(options.output, "interrupted before two rounds were complete: nothing is kept");
    return *job.interrupted();
  }
  if (expected) {
    card->expectation = Judge(QuantitiesOf(*card), *expected, options.expect, options.fail_below);
  }
  try {
    Deliver(*card, folder.path, options);
    if (const auto& failure = job.failure()) throw *failure;
    if (!job.interrupted()) Enforce(*card);
  } catch (const Error& e) {
    job.Finish(e.exit_code);
    throw;
  }
  const ExitCode code = job.interrupted().value_or(kExitOk);
  job.Finish(code);
  return code;
}

}  // namespace

std::function<int()> DeclareProbe(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ProbeFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunProbe(*flags, argv); };
}

}  // namespace stallscope
