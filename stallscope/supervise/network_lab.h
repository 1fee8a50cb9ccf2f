#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/namespace_holder.h"

namespace stallscope {

/// Which of a lab's two networks.
enum class LabLink {
  kOuter,  ///< between the machines, at the emulated rate
  kInner,  ///< as if all sat in one machine: as fast as this one can, unless it is slowed for a proof
};

/// Machines made out of network namespaces. Two hosts are joined by cables (veth pairs), one for each link;
/// more meet at switches (bridges in a namespace of their own). Nothing of it has a name outside, so nothing
/// is left when this object ends or its owner is killed.
class NetworkLab {
 public:
  /// Throws Error where the system does not allow it, UsageError for less than 2 or more than 250 hosts.
  explicit NetworkLab(int hosts, std::optional<BytesPerSecond> rate = std::nullopt);

  int hosts() const { return static_cast<int>(hosts_.size()); }
  /// "10.77.0.1" for host 0.
  static std::string Address(int host, LabLink link = LabLink::kOuter);
  /// The interface of the link, the same in every host.
  static std::string Device(LabLink link = LabLink::kOuter);
  /// What passes a link of this rate at once after a pause: the token bucket that shapes it.
  static Bytes Burst(BytesPerSecond rate);

  /// The child will run on this host.
  void PlaceOn(int host, ChildOptions& options) const;
  /// The host's namespace, and the one that gives the right to join it where we are not root.
  int network_namespace(int host) const { return hosts_.at(static_cast<std::size_t>(host)).network(); }
  std::optional<int> user_namespace() const;
  /// The processes that hold the namespaces.
  std::vector<pid_t> holders() const;

  /// Every host sends and receives at most this much; nothing: as fast as the machine can. May change while
  /// connections live.
  void SetRate(std::optional<BytesPerSecond> rate, LabLink link = LabLink::kOuter);
  /// Pulls the host's cable, or puts it back.
  void SetLinkUp(int host, bool up);

 private:
  void JoinByCable(LabLink link);
  void JoinBySwitch(LabLink link);
  void Configure(int host);
  void Run(const NamespaceHolder& where, const std::vector<std::string>& argv) const;
  void Shape(const NamespaceHolder& where, const std::string& device,
             std::optional<BytesPerSecond> rate) const;

  Privilege privilege_ = Privilege::kOwn;
  std::vector<NamespaceHolder> hosts_;
  std::vector<NamespaceHolder> switch_;  ///< one, or none
  std::map<LabLink, bool> shaped_;
};

/// Why there can be no lab of so many hosts here; nothing where there can. It tries.
std::optional<std::string> NetworkLabUnavailable(int hosts = 2);

}  // namespace stallscope
