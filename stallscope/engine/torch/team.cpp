#include "stallscope/engine/torch/team.h"

#include <torch/torch.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "stallscope/base/error.h"
#include "stallscope/engine/batch_threads.h"
#include "stallscope/engine/collective.h"
#include "stallscope/engine/torch/meeting_store.h"

namespace stallscope {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Device = std::shared_ptr<gloo::transport::Device>;

/// A step may take longer than any limit one could choose. Whether a rank lives is told by its heartbeat,
/// so a collective waits for days if it must.
constexpr auto kNoLimit = std::chrono::hours(24 * 30);
constexpr std::size_t kBroadcastBytes = 250u << 20;

Group Connect(const c10::intrusive_ptr<c10d::Store>& store, const std::string& name, int rank, int size,
              Device device) {
  auto options = c10d::ProcessGroupGloo::Options::create();
  options->devices.push_back(std::move(device));
  options->threads = 2;  // as init_process_group does
  options->timeout = kNoLimit;
  return c10::make_intrusive<c10d::ProcessGroupGloo>(c10::make_intrusive<c10d::PrefixStore>(name, store),
                                                     rank, size, options);
}

/// The event loop of a device tries the lock of a connection over and over while another thread sends on it.
/// If it has pushed that thread off the only core of its rank, it does so until the scheduler's slice is
/// over: milliseconds for a message of a few bytes, now and then. A batch thread does not.
Device DeviceAt(const std::string& address) {
  const BatchThreads event_loop;
  return c10d::ProcessGroupGloo::createDeviceForHostname(address);
}

Device DeviceBetweenMachines(const EngineConfig& config) {
  if (config.interface.empty()) return DeviceAt(config.address);
  try {
    const BatchThreads event_loop;
    return c10d::ProcessGroupGloo::createDeviceForInterface(config.interface);
  } catch (const std::exception&) {
    throw Error("the network interface '" + config.interface + "' has no usable address here",
                "see `ip -brief address`, and give --interface the one between the machines");
  }
}

/// What the ranks have to agree on. The data may lie at another place on every machine.
nlohmann::json AgreementOf(const EngineConfig& config) {
  nlohmann::json agreement = ToJson(config.training);
  agreement["command"] = config.measures_collectives ? "probe" : "profile";
  agreement["data"] = config.data.has_value();
  if (config.data) agreement["workers"] = config.data->workers;
  return agreement;
}

/// Machines of one job that train different things would hang or, worse, measure nonsense.
void CheckAgreement(c10d::Store& store, const EngineConfig& config) {
  const std::string mine = AgreementOf(config).dump();
  const std::string key = "training/" + std::to_string(config.rank);
  store.set(key, {mine.begin(), mine.end()});
  const std::vector<uint8_t> bytes = store.get("training/0");
  const nlohmann::json leader = nlohmann::json::parse(bytes.begin(), bytes.end());
  const nlohmann::json own = nlohmann::json::parse(mine);
  for (const auto& [name, value] : leader.items()) {
    if (!own.contains(name) || own.at(name) != value) {
      throw Error("rank " + std::to_string(config.rank) + " was started with another '" + name + "' (" +
                      (own.contains(name) ? own.at(name).dump() : "unset") + ") than rank 0 (" +
                      value.dump() + ")",
                  "give all machines the same options");
    }
  }
}

/// Through the store, because under torchrun the commands share nothing else.
void ShareWatchOffer(c10d::Store& store, const EngineConfig& config,
                     const std::function<void(const std::string&)>& on_offer) {
  const std::string& own = config.watch_offer;
  if (config.rank == 0) {
    store.set("watch", std::vector<uint8_t>(own.begin(), own.end()));
    return;
  }
  const std::vector<uint8_t> offer = store.get("watch");
  on_offer({offer.begin(), offer.end()});
}

void WaitFor(const c10::intrusive_ptr<c10d::Work>& work) {
  work->wait();
}

at::Tensor BytesTensor(const std::string& text) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(text.size())}, at::kByte);
  std::copy(text.begin(), text.end(), tensor.data_ptr<uint8_t>());
  return tensor;
}

std::string Text(const at::Tensor& tensor) {
  const auto* bytes = tensor.data_ptr<uint8_t>();
  return {bytes, bytes + tensor.numel()};
}

}  // namespace

Team::Team(const EngineConfig& config, const std::function<void(const std::string&)>& on_watch_offer)
    : rank_(config.rank), size_(config.world_size) {
  const auto store = OpenMeetingStore(config.meeting, config.world_size);
  CheckAgreement(*store, config);
  if (config.watched) ShareWatchOffer(*store, config, on_watch_offer);
  const bool several_machines = config.nodes > 1;
  const auto loopback = [] { return DeviceAt("127.0.0.1"); };
  const auto outward = [&] { return several_machines ? DeviceBetweenMachines(config) : loopback(); };
  control_ = Connect(store, "control", rank_, size_, outward());
  if (config.measures_collectives) {
    for (const CollectiveGroup& group : CollectiveGroups(config.nodes, config.devices_per_node)) {
      const auto found = std::find(group.ranks.begin(), group.ranks.end(), rank_);
      groups_.emplace_back();
      if (found == group.ranks.end()) continue;
      groups_.back() = Connect(
          store, "group/" + std::to_string(groups_.size()), static_cast<int>(found - group.ranks.begin()),
          static_cast<int>(group.ranks.size()), group.nodes == 1 ? loopback() : outward());
    }
    return;
  }
  if (config.node_address.empty()) {
    node_ = Connect(store, "node/" + std::to_string(config.node), config.local_rank, config.devices_per_node,
                    loopback());
  } else {
    node_ = Connect(store, "node", rank_, size_, DeviceAt(config.node_address));
  }
  if (several_machines) cluster_ = Connect(store, "cluster", rank_, size_, outward());
}

std::string Team::Broadcast(const std::string& text) {
  std::vector<at::Tensor> length = {at::full({1}, static_cast<int64_t>(text.size()), at::kLong)};
  WaitFor(control_->broadcast(length));
  std::vector<at::Tensor> bytes = {rank_ == 0 ? BytesTensor(text)
                                              : at::empty({length[0].item<int64_t>()}, at::kByte)};
  if (bytes[0].numel() > 0) WaitFor(control_->broadcast(bytes));
  return Text(bytes[0]);
}

std::vector<std::string> Team::Gather(const std::string& text) {
  constexpr int kTag = 7;
  if (rank_ != 0) {
    std::vector<at::Tensor> length = {at::full({1}, static_cast<int64_t>(text.size()), at::kLong)};
    WaitFor(control_->send(length, 0, kTag));
    std::vector<at::Tensor> bytes = {BytesTensor(text)};
    if (!text.empty()) WaitFor(control_->send(bytes, 0, kTag));
    return {};
  }
  std::vector<std::string> texts = {text};
  for (int from = 1; from < size_; ++from) {
    std::vector<at::Tensor> length = {at::zeros({1}, at::kLong)};
    WaitFor(control_->recv(length, from, kTag));
    std::vector<at::Tensor> bytes = {at::empty({length[0].item<int64_t>()}, at::kByte)};
    if (bytes[0].numel() > 0) WaitFor(control_->recv(bytes, from, kTag));
    texts.push_back(Text(bytes[0]));
  }
  return texts;
}

void Team::Barrier() {
  WaitFor(control_->barrier());
}

void Team::BroadcastTensors(const std::vector<at::Tensor>& tensors) {
  if (size_ > 1 && !tensors.empty()) c10d::broadcast_coalesced(control_, tensors, kBroadcastBytes, 0);
}

}  // namespace stallscope
