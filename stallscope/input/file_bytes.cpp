#include "stallscope/input/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "stallscope/input/bad_sample.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

/// Larger files are no photographs; reading one would fill the memory.
constexpr std::int64_t kLargestFile = 1 << 30;

[[noreturn]] void Fail(int error) {
  if (error == ENOENT) throw BadSample("is gone since the folder was listed");
  throw BadSample(fmt::format("cannot be read ({})", ErrnoText(error)));
}

}  // namespace

std::span<const std::uint8_t> FileBytes::Read(const std::string& path) {
  // O_NONBLOCK: a pipe that bears the name of an image must not hold the worker.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) Fail(errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) Fail(errno);
  if (!S_ISREG(status.st_mode)) throw BadSample("is no regular file");
  if (status.st_size > kLargestFile) throw BadSample("is larger than 1 GiB");
  modified_s_ =
      static_cast<double>(status.st_mtim.tv_sec) + 1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (buffer_.size() < size) buffer_.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = read(file.get(), buffer_.data() + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) Fail(errno);
    if (count == 0) break;  // it became shorter; the codec will say so
    done += static_cast<std::size_t>(count);
  }
  return {buffer_.data(), done};
}

}  // namespace stallscope
