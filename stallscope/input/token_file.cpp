#include "stallscope/input/token_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "stallscope/base/error.h"
#include "stallscope/input/bad_sample.h"
#include "stallscope/input/folder_entries.h"

namespace stallscope {
namespace {

template <typename Token>
void Widen(std::span<std::int64_t> out, const std::uint8_t* bytes) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Token token;
    std::memcpy(&token, bytes + i * sizeof token, sizeof token);
    out[i] = token;
  }
}

}  // namespace

TokenFile::TokenFile(const std::filesystem::path& path)
    : path_(path),
      file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)),
      width_(path.extension() == ".u32" ? 4 : 2) {
  if (IsJpegName(path_)) {
    throw Error(fmt::format("'{}' is one image", path_), "give the folder that holds the class folders");
  }
  struct stat status {};
  if (!file_.valid() || fstat(file_.get(), &status) != 0) {
    throw Error(fmt::format("cannot open the token file '{}': {}", path_, ErrnoText(errno)),
                "check the path and its permissions");
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto width = static_cast<std::uint64_t>(width_);
  if (bytes == 0) {
    throw Error(fmt::format("the token file '{}' is empty", path_),
                "write it again, or make one with `stallscope dataset make DIR --tokens N`");
  }
  if (bytes % width != 0) {
    throw Error(fmt::format("the token file '{}' has {} bytes, no whole number of {}-byte tokens", path_,
                            bytes, width_),
                "write it again, as uint16 (any name) or uint32 (a name that ends in .u32)");
  }
  tokens_ = bytes / width;
}

void TokenFile::Read(std::uint64_t first, std::span<std::int64_t> out) const {
  std::array<std::uint8_t, 16384> chunk{};
  const auto width = static_cast<std::size_t>(width_);
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), chunk.size() / width);
    std::size_t done = 0;
    while (done < count * width) {
      const ssize_t got = pread(file_.get(), chunk.data() + done, count * width - done,
                                static_cast<off_t>(first * width + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw BadSample(fmt::format("cannot be read ({})", ErrnoText(errno)));
      if (got == 0) throw BadSample("has become shorter since it was opened");
      done += static_cast<std::size_t>(got);
    }
    if (width == 4) {
      Widen<std::uint32_t>(out.first(count), chunk.data());
    } else {
      Widen<std::uint16_t>(out.first(count), chunk.data());
    }
    first += count;
    out = out.subspan(count);
  }
}

}  // namespace stallscope
