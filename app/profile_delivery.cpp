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
namespace {

/// A store that does not work costs a warning, not the profile.
void Keep(const Profile& profile, const std::string& text, const std::filesystem::path& folder,
          const LadderOptions& options) {
  try {
    const Store store(StoreFolder(options.store, ProcessEnvironment()));
    store.Add(text, profile.created, "profile", profile.workload.model);
  } catch (const Error& e) {
    Say(options.output, fmt::format("warning: the profile is in {}, but not in the store: {}; {}",
                                    (folder / "profile.json").string(), e.what(), e.hint));
  }
}

}  // namespace

OutputFolder MakeOutputFolder(const LadderOptions& options) {
  const std::filesystem::path folder = options.out.empty() ? "stallscope-" + LocalTimeStamp() : options.out;
  std::error_code code;
  const bool exists = std::filesystem::exists(folder, code);
  if (exists && !options.force) {
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
  if (!options.html.empty()) WritePage(options.html, profile);
  if (options.keep_in_store) Keep(profile, text, folder, options);
}

void Say(const OutputOptions& output, const std::string& line) {
  if (!output.quiet) std::cerr << line << '\n';
}

}  // namespace stallscope
