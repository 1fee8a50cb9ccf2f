#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// Where the right to make namespaces comes from.
enum class Privilege {
  kOwn,            ///< we are root
  kUserNamespace,  ///< a new user namespace, which gives it
  kJoined,         ///< the user namespace of another holder
};

/// What the holder gets of its own.
enum class Space {
  kNetwork,
  kMounts,
};

struct HolderPlan {
  Space space = Space::kNetwork;
  Privilege privilege = Privilege::kOwn;
  /// For kJoined.
  std::optional<int> user_namespace;
  /// Runs in the holder once it is inside, and gives 0 or an errno value. Async-signal-safe calls only.
  std::function<int()> furnish;
  /// What the error says that we cannot do, and the way out of it.
  std::string purpose = "make a network namespace";
  std::string hint = "run as root, or allow user namespaces (sysctl user.max_user_namespaces)";
};

/// A namespace of its own, held by a small process and by descriptors, never by a name: it is gone when we
/// are, however we end.
class NamespaceHolder {
 public:
  /// Throws Error where the system does not allow it.
  explicit NamespaceHolder(const HolderPlan& plan);
  /// A network namespace.
  explicit NamespaceHolder(Privilege privilege, std::optional<int> user_namespace = std::nullopt);
  NamespaceHolder(NamespaceHolder&& other) noexcept;
  NamespaceHolder& operator=(NamespaceHolder&&) = delete;
  ~NamespaceHolder();

  pid_t pid() const { return pid_; }
  Privilege privilege() const { return privilege_; }
  /// The namespaces that the holder lives in; what the plan did not ask for is ours.
  int network() const { return network_.get(); }
  int mounts() const { return mounts_.get(); }
  int user() const { return user_.get(); }

 private:
  pid_t pid_ = -1;
  Privilege privilege_;
  FileDescriptor network_;
  FileDescriptor mounts_;
  FileDescriptor user_;
};

}  // namespace stallscope
