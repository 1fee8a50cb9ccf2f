#include "app/profile_delivery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>

#include "app/page_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/store.h"
#include "stallscope/report/console.h"

namespace stallscope {

OutputFolder MakeOutputFolder(const std::string& out, bool force) {
  const std::filesystem::path folder = out.empty() ? "stallscope-" + LocalTimeStamp() : out;
  std::error_code code;
  const bool exists = std::filesystem::exists(folder, code);
  if (exists && !force) {
    throw UsageError("--out " + folder.string() + " exists already",
                     "choose another folder, or overwrite its results with --force");
  }
  std::filesystem::create_directories(folder / "log", code);
  if (code) {
    throw UsageError(fmt::format("cannot make the folder {}: {}", folder.string(), code.message()),
                     "give --out a folder that you may write to");
  }
  return {.path = folder, .is_new = !exists};
}

OutputFolder MakeOutputFolder(const LadderOptions& options) {
  return MakeOutputFolder(options.out, options.force);
}

void KeepInStore(const std::string& text, const Keepsake& what, const std::string& store,
                 const OutputOptions& output) {
  try {
    Store(StoreFolder(store, ProcessEnvironment())).Add(text, what.created, what.kind, what.label);
  } catch (const Error& e) {
    Say(output, fmt::format("warning: the {} is in {}, but not in the store: {}; {}", what.kind,
                            what.file.string(), e.what(), e.hint));
  }
}

namespace {

/// The page, with what the run's raw files say; a page without them is better than none.
void WriteProfilePage(const std::string& text, const std::filesystem::path& folder,
                      const LadderOptions& options) {
  ReportDocument document = ReadReportDocument(text, (folder / "profile.json").string());
  try {
    AddSeries(document, folder);
  } catch (const Error& e) {
    Say(options.output, fmt::format("warning: the page lacks single steps: {}; {}", e.what(), e.hint));
  }
  WritePageFile(options.html, {document});
}

}  // namespace

void DeliverProfile(const Profile& profile, const std::filesystem::path& folder,
                    const LadderOptions& options) {
  const std::string text = ToJson(profile);
  std::optional<Error> lost;
  try {
    WriteFileAtomically(folder / "profile.json", text);
  } catch (const Error& e) {
    lost = e;
  }
  WriteJson(options.output, text);
  if (options.output.ShowText()) PrintProfile(profile, options.output.StyleOf(STDOUT_FILENO), std::cout);
  if (lost) {
    throw Error(lost->what(), fmt::format("{}, then go on with the finished rounds by --resume {}",
                                          lost->hint, folder.string()));
  }
  if (!options.html.empty()) WriteProfilePage(text, folder, options);
  if (options.keep_in_store) {
    KeepInStore(text, {profile.created, "profile", profile.workload.model, folder / "profile.json"},
                options.store, options.output);
  }
}

void Say(const OutputOptions& output, const std::string& line) {
  if (!output.quiet) std::cerr << line << '\n';
}

}  // namespace stallscope
