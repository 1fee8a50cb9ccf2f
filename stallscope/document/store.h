#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallscope/base/environment.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// One file of the store. What the document does not say, or could not be read, is absent.
struct StoreEntry {
  std::filesystem::path path;
  std::optional<std::string> schema;
  std::optional<std::string> created;
  std::optional<std::string> host;
  std::optional<std::string> model;
  std::optional<Profile> profile;         ///< whole, where the document is one
  std::optional<std::string> unreadable;  ///< why the file cannot be used
};

/// A folder of kept documents, one file each. There is no index and no lock: writing is one new name, so
/// that any number of commands on any number of machines can share it over NFS or Lustre.
class Store {
 public:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// Keeps a document under a new name made of its time, `kind` ("profile"), `label` (the model) and random
  /// letters; returns where. The folder is made where it is missing. Throws Error.
  std::filesystem::path Add(const std::string& text, const std::string& created, const std::string& kind,
                            const std::string& label) const;

  /// Newest first; what has no time comes last. A file that cannot be used is listed with the reason. Names
  /// with a dot in front are left-overs of crashed commands and are passed over; a missing folder is empty.
  /// Throws Error where the folder itself cannot be read.
  std::vector<StoreEntry> List() const;

 private:
  std::filesystem::path folder_;
};

/// `flag` (--store) where it is given, else STALLSCOPE_STORE, else stallscope in XDG_DATA_HOME, else
/// ~/.local/share/stallscope. Throws UsageError where none is known.
std::filesystem::path StoreFolder(const std::string& flag, const Environment& environment);

/// The text in small letters, digits, dots and dashes, at most 40 of them, for names of files: the last
/// part of a path, "mlp-layers-3-width-64" for "mlp:layers=3,width=64".
std::string Slug(const std::string& text);

}  // namespace stallscope
