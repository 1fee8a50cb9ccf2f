#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/namespace_holder.h"

namespace stallscope {

/// Machines made out of network namespaces. Two hosts are joined by a cable (a veth pair); more meet at a
/// switch (a bridge in a namespace of its own). Nothing of it has a name outside, so nothing is left when
/// this object ends or its owner is killed.
class NetworkLab {
 public:
  /// The interface that faces the other hosts, in every host.
  static constexpr char kDevice[] = "lab0";

  /// Throws Error where the system does not allow it, UsageError for less than 2 or more than 250 hosts.
  explicit NetworkLab(int hosts, std::optional<BytesPerSecond> rate = std::nullopt);

  int hosts() const { return static_cast<int>(hosts_.size()); }
  /// "10.77.0.1" for host 0.
  static std::string Address(int host);

  /// The child will run on this host.
  void PlaceOn(int host, ChildOptions& options) const;
  /// The host's namespace, and the one that gives the right to join it where we are not root.
  int network_namespace(int host) const { return hosts_.at(static_cast<std::size_t>(host)).network(); }
  std::optional<int> user_namespace() const;
  /// The processes that hold the namespaces.
  std::vector<pid_t> holders() const;

  /// Every host sends and receives at most this much; nothing: as fast as the machine can. May change while
  /// connections live.
  void SetRate(std::optional<BytesPerSecond> rate);
  /// Pulls the host's cable, or puts it back.
  void SetLinkUp(int host, bool up);

 private:
  void JoinByCable();
  void JoinBySwitch();
  void Configure(int host);
  void Run(const NamespaceHolder& where, const std::vector<std::string>& argv) const;
  void Shape(const NamespaceHolder& where, const std::string& device,
             std::optional<BytesPerSecond> rate) const;

  Privilege privilege_ = Privilege::kOwn;
  std::vector<NamespaceHolder> hosts_;
  std::vector<NamespaceHolder> switch_;  ///< one, or none
  bool shaped_ = false;
};

/// Why there can be no lab of so many hosts here; nothing where there can. It tries.
std::optional<std::string> NetworkLabUnavailable(int hosts = 2);

}  // namespace stallscope
