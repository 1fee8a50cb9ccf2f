#pragma once

#include <filesystem>
#include <string>

namespace stallscope {

inline constexpr char kUndoTree[] = "tree";
inline constexpr char kUndoCgroup[] = "cgroup";
inline constexpr char kUndoGroup[] = "group";

/// One thing that outlives its owner, and how it is undone.
struct Undo {
  std::string kind;
  std::string what;
};

/// Never throws: what cannot be undone must not keep the rest from it.
void UndoNow(const Undo& undo) noexcept;

/// Removes a folder with all that is in it, also folders that its owner may not write at the moment.
/// Links are removed, not followed.
bool RemoveTreeNow(const std::filesystem::path& folder) noexcept;

/// Kills a cgroup's members and removes it, with a few seconds for them to go.
bool RemoveCgroupNow(const std::filesystem::path& folder) noexcept;

}  // namespace stallscope
