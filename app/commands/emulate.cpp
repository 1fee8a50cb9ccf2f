#include "app/commands/emulate.h"

#include <fmt/format.h>

#include <sstream>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr const char* kForm = "write it as nodes=2,bandwidth=1Gbit,disk=100MB/s";

UsageError Wrong(const std::string& part) {
  return UsageError(fmt::format("--emulate: '{}' is not understood", part), kForm);
}

BytesPerSecond RateOf(const std::string& part, const std::string& value) {
  const auto rate = ParseRate(value);
  if (!rate || rate->value <= 0) throw Wrong(part);
  return *rate;
}

}  // namespace

EmulateOption ParseEmulate(const std::string& text) {
  EmulateOption option;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) throw Wrong(part);
    const std::string key = part.substr(0, equals);
    const std::string value = part.substr(equals + 1);
    if (key == "nodes") {
      const bool digits =
          !value.empty() && value.size() < 4 && value.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || std::stoi(value) < 2 || std::stoi(value) > 250) {
        throw UsageError(fmt::format("--emulate nodes={} cannot be made", value), "choose from 2 to 250");
      }
      option.nodes = std::stoi(value);
    } else if (key == "bandwidth") {
      option.bandwidth = RateOf(part, value);
    } else if (key == "disk") {
      option.disk = RateOf(part, value);
    } else {
      throw Wrong(part);
    }
  }
  if (text.empty()) throw Wrong(text);
  return option;
}

EmulatedMachines::EmulatedMachines(const EmulateOption& option, const std::string& data, Watchdog& watchdog)
    : network_(option.nodes, option.bandwidth), disk_rate_(option.disk) {
  if (option.disk) disk_.emplace(data, std::nullopt, &watchdog);
}

void EmulatedMachines::LimitDisk() {
  if (disk_) disk_->SetRate(disk_rate_);
}

void EmulatedMachines::Place(int node, ChildOptions& options) const {
  network_.PlaceOn(node, options);
  if (disk_) options.cgroup_procs.push_back(disk_->cgroup_procs());
}

}  // namespace stallscope
