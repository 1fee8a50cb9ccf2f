#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/namespace_holder.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {

/// A folder that programs see and may write to, while the real one stays byte for byte as it was. An overlay
/// is mounted over the folder, and over whatever is mounted below it, in a mount namespace that only the
/// placed children see. What they change is kept in a temporary folder (in memory, where that folder's file
/// system cannot carry an overlay) and is dropped with this object: end the children first.
///
/// Only paths below the folder are shielded, and links in it may lead out. A file is copied whole when it is
/// first opened for writing. Without root, to rename a folder that was there before fails (EXDEV), as between
/// two disks.
class FolderShield {
 public:
  /// Throws Error where the system does not allow it, UsageError where there is no such folder. The program
  /// sees its usual user, unless `user_namespace`, one that a network lab made without root, says otherwise:
  /// give it where children are to be in both.
  explicit FolderShield(const std::filesystem::path& folder, Watchdog* watchdog = nullptr,
                        std::optional<int> user_namespace = std::nullopt);
  FolderShield(const FolderShield&) = delete;
  FolderShield& operator=(const FolderShield&) = delete;

  /// The child will see the shield; it starts in the folder unless it has a working folder already.
  void Place(ChildOptions& options) const;

  const std::filesystem::path& folder() const { return folder_; }
  /// The process that holds the namespace.
  pid_t holder() const { return holder_.pid(); }

 private:
  std::filesystem::path folder_;
  TemporaryFolder changes_;
  NamespaceHolder holder_;
};

/// Why no folder can be shielded here; nothing where it can. It tries.
std::optional<std::string> FolderShieldUnavailable();

}  // namespace stallscope
