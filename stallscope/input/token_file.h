#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// A flat file of little-endian token numbers. NAME.u32 holds four bytes a token, every other name two, as
/// nanoGPT's train.bin does. Read with pread: mapped pages could not be evicted.
class TokenFile {
 public:
  /// Throws Error where it cannot be opened or is no whole number of tokens.
  explicit TokenFile(const std::filesystem::path& path);

  std::uint64_t size() const { return tokens_; }
  int bytes_per_token() const { return width_; }
  const std::string& path() const { return path_; }

  /// Fills `out` with the tokens from `first` on. Throws BadSample where the file has become shorter.
  void Read(std::uint64_t first, std::span<std::int64_t> out) const;

 private:
  std::string path_;
  FileDescriptor file_;
  int width_ = 2;
  std::uint64_t tokens_ = 0;
};

}  // namespace stallscope
