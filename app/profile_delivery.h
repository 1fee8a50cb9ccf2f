#pragma once

#include <filesystem>
#include <string>

#include "app/commands/ladder_options.h"
#include "stallscope/document/profile.h"

namespace stallscope {

struct OutputFolder {
  std::filesystem::path path;
  bool is_new = true;
};

/// Where the results of a run go, with a folder for logs; made before anything is measured, so that a bad
/// path fails then. Throws UsageError where it exists and --force was not given.
OutputFolder MakeOutputFolder(const LadderOptions& options);
/// The same for commands that climb no ladder: `out` empty is ./stallscope-DATE-TIME.
OutputFolder MakeOutputFolder(const std::string& out, bool force);

/// Keeps a document in the store. One that does not work costs a warning, not the document, which is in
/// `file`.
struct Keepsake {
  std::string created;
  std::string kind;   ///< "profile"
  std::string label;  ///< "resnet18"
  std::filesystem::path file;
};
void KeepInStore(const std::string& text, const Keepsake& what, const std::string& store,
                 const OutputOptions& output);

/// To the output folder, to standard output, and to the page and the store where these are wanted. Where the
/// folder's disk is full, the rest is still shown, and an Error says so.
void DeliverProfile(const Profile& profile, const std::filesystem::path& folder,
                    const LadderOptions& options);

/// Text for people, unless it was asked to be quiet.
void Say(const OutputOptions& output, const std::string& line);

}  // namespace stallscope
