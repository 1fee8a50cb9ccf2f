#pragma once

#include <filesystem>
#include <string_view>

#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {

/// A file for parsers that open their own, in a folder that goes with it.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name) : path_(folder_.path() / name) {}

  void Write(std::string_view bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace stallscope
