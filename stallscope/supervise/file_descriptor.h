#pragma once

#include <string>
#include <utility>

namespace stallscope {

/// Owns a file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

/// Both ends close on exec, so that no child holds a pipe open that it was not given.
Pipe MakePipe();

void SetNonblocking(int fd);

/// "Permission denied": the text of an errno value.
std::string ErrnoText(int error_number);

/// Waits until `fd` is ready for `events` (POLLIN, POLLOUT) or the time is over; false when it is over.
/// An interrupted wait goes on.
bool WaitReady(int fd, short events, double timeout_s);

/// Writes to a pipe whose reader may have gone: that is `false`, and no SIGPIPE reaches the process.
/// A nonblocking pipe that stays full for `timeout_s` is `false` as well.
bool WriteWithoutSigpipe(int fd, const std::string& text, double timeout_s);

/// Everything from the start of a file that is open for reading, as a memfd or a log is.
std::string ReadFromStart(int fd);

}  // namespace stallscope
