#pragma once

#include <sys/types.h>

#include <optional>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// Where the right to make network namespaces comes from.
enum class Privilege {
  kOwn,            ///< we are root
  kUserNamespace,  ///< a new user namespace, in which we are
  kJoined,         ///< the user namespace of another holder
};

/// A network namespace of its own, held by a small process and by descriptors, never by a name: it is gone
/// when we are, however we end.
class NamespaceHolder {
 public:
  /// Throws Error where the system does not allow it. `user_namespace` is for kJoined.
  explicit NamespaceHolder(Privilege privilege, std::optional<int> user_namespace = std::nullopt);
  NamespaceHolder(NamespaceHolder&& other) noexcept;
  NamespaceHolder& operator=(NamespaceHolder&&) = delete;
  ~NamespaceHolder();

  pid_t pid() const { return pid_; }
  int network() const { return network_.get(); }
  int user() const { return user_.get(); }

 private:
  pid_t pid_ = -1;
  FileDescriptor network_;
  FileDescriptor user_;
};

}  // namespace stallscope
