#include "stallscope/supervise/network_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/supervise/run_tool.h"

namespace stallscope {
namespace {

/// The token bucket. Bursts of 64 kB and less drop most traffic at 1 Gbit; faster links need what arrives
/// in a millisecond.
constexpr double kBurst_bytes = 256 * 1024;
constexpr double kBurst_s = 1e-3;

constexpr std::array kLinks = {LabLink::kOuter, LabLink::kInner};

/// A host's place at the link's switch.
std::string Port(std::size_t host, LabLink link) {
  return fmt::format("{}{}", link == LabLink::kOuter ? "port" : "inner", host);
}

std::string Switch(LabLink link) {
  return link == LabLink::kOuter ? "switch" : "backplane";
}

}  // namespace

NetworkLab::NetworkLab(int hosts, std::optional<BytesPerSecond> rate) {
  if (hosts < 2 || hosts > 250) {
    throw UsageError(fmt::format("cannot emulate {} machines", hosts), "choose from 2 to 250");
  }
  try {
    hosts_.emplace_back(Privilege::kOwn);
  } catch (const Error&) {
    privilege_ = Privilege::kUserNamespace;
    hosts_.emplace_back(privilege_);
  }
  const Privilege others = privilege_ == Privilege::kOwn ? Privilege::kOwn : Privilege::kJoined;
  while (static_cast<int>(hosts_.size()) < hosts) hosts_.emplace_back(others, user_namespace());
  if (hosts > 2) switch_.emplace_back(others, user_namespace());
  for (const LabLink link : kLinks) {
    hosts == 2 ? JoinByCable(link) : JoinBySwitch(link);
  }
  for (int host = 0; host < hosts; ++host) Configure(host);
  if (rate) SetRate(rate);
}

std::string NetworkLab::Address(int host, LabLink link) {
  return fmt::format("10.{}.0.{}", link == LabLink::kOuter ? 77 : 78, host + 1);
}

std::string NetworkLab::Device(LabLink link) {
  return link == LabLink::kOuter ? "lab0" : "inner0";
}

Bytes NetworkLab::Burst(BytesPerSecond rate) {
  return {std::max(kBurst_bytes, rate.value * kBurst_s)};
}

void NetworkLab::PlaceOn(int host, ChildOptions& options) const {
  options.user_namespace = user_namespace();
  options.network_namespace = network_namespace(host);
}

std::optional<int> NetworkLab::user_namespace() const {
  if (privilege_ == Privilege::kOwn) return std::nullopt;
  return hosts_.front().user();
}

std::vector<pid_t> NetworkLab::holders() const {
  std::vector<pid_t> pids;
  for (const auto* group : {&hosts_, &switch_}) {
    for (const NamespaceHolder& holder : *group) pids.push_back(holder.pid());
  }
  return pids;
}

void NetworkLab::JoinByCable(LabLink link) {
  const std::string device = Device(link);
  Run(hosts_[0], {"ip", "link", "add", "name", device, "type", "veth", "peer", "name", device, "netns",
                  std::to_string(hosts_[1].pid())});
}

void NetworkLab::JoinBySwitch(LabLink link) {
  const NamespaceHolder& center = switch_.front();
  Run(center, {"ip", "link", "add", "name", Switch(link), "type", "bridge"});
  Run(center, {"ip", "link", "set", "dev", Switch(link), "up"});
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    const std::string port = Port(host, link);
    Run(center, {"ip", "link", "add", "name", port, "type", "veth", "peer", "name", Device(link), "netns",
                 std::to_string(hosts_[host].pid())});
    Run(center, {"ip", "link", "set", "dev", port, "master", Switch(link), "up"});
  }
}

void NetworkLab::Configure(int host) {
  const NamespaceHolder& where = hosts_.at(static_cast<std::size_t>(host));
  Run(where, {"ip", "link", "set", "dev", "lo", "up"});
  for (const LabLink link : kLinks) {
    Run(where, {"ip", "address", "add", Address(host, link) + "/24", "dev", Device(link)});
    Run(where, {"ip", "link", "set", "dev", Device(link), "up"});
  }
}

void NetworkLab::SetRate(std::optional<BytesPerSecond> rate, LabLink link) {
  if (rate && !(rate->value >= 1 && std::isfinite(rate->value))) {
    throw UsageError("a link's rate must be above zero", "give one such as 1Gbit");
  }
  if (!rate && !shaped_[link]) return;
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    Shape(hosts_[host], Device(link), rate);
    // With several senders, what a host receives has to be limited as well, at its port of the switch.
    if (!switch_.empty()) Shape(switch_.front(), Port(host, link), rate);
  }
  shaped_[link] = rate.has_value();
}

void NetworkLab::SetLinkUp(int host, bool up) {
  Run(hosts_.at(static_cast<std::size_t>(host)), {"ip", "link", "set", "dev", Device(), up ? "up" : "down"});
}

void NetworkLab::Run(const NamespaceHolder& where, const std::vector<std::string>& argv) const {
  RunTool(argv,
          {.timeout = Seconds(30), .user_namespace = user_namespace(), .network_namespace = where.network()});
}

void NetworkLab::Shape(const NamespaceHolder& where, const std::string& device,
                       std::optional<BytesPerSecond> rate) const {
  if (!rate) {
    Run(where, {"tc", "qdisc", "delete", "dev", device, "root"});
    return;
  }
  Run(where, {"tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate",
              fmt::format("{:.0f}bit", rate->value * 8), "burst", fmt::format("{:.0f}b", Burst(*rate).value),
              "latency", "50ms"});
}

std::optional<std::string> NetworkLabUnavailable(int hosts) {
  try {
    const NetworkLab attempt(hosts, GigabitsPerSecond(1));
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace stallscope
