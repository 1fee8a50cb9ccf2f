#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "stallscope/supervise/file_descriptor.h"
#include "stallscope/supervise/line_buffer.h"

namespace stallscope {

/// Follows a file of lines that somebody else appends to, and now and then renames to begin it anew, so that
/// the two together stay bounded.
class ObservedFile {
 public:
  explicit ObservedFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// The next whole line, without its end; nothing while there is none.
  std::optional<std::string> Next();

 private:
  /// False where the file is still the same one.
  bool FollowToTheNew();

  std::filesystem::path path_;
  FileDescriptor file_;
  LineBuffer lines_;
};

}  // namespace stallscope
