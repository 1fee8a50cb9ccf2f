#pragma once

#include <functional>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "stallscope/engine/messages.h"

namespace stallscope {

/// The connections of one rank: to all ranks for orders and results, to the ranks of its machine, and,
/// with several machines, to all ranks for gradients. Nothing depends on the meeting store any more once
/// this exists. In a job that measures collectives, the last two make way for the groups that it measures.
class Team {
 public:
  /// `on_watch_offer` is called on other ranks than 0, before the connections are made, where the commands
  /// watch each other.
  explicit Team(
      const EngineConfig& config,
      const std::function<void(const std::string&)>& on_watch_offer = [](const std::string&) {});

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Rank 0's text, on every rank.
  std::string Broadcast(const std::string& text);
  /// On rank 0 every rank's text, by rank; elsewhere nothing.
  std::vector<std::string> Gather(const std::string& text);
  /// Rank 0's tensors, on every rank.
  void BroadcastTensors(const std::vector<at::Tensor>& tensors);

  /// Returns when every rank has come here.
  void Barrier();

  const c10::intrusive_ptr<c10d::ProcessGroup>& node_group() const { return node_; }
  const c10::intrusive_ptr<c10d::ProcessGroup>& cluster_group() const { return cluster_; }
  /// Those of CollectiveGroups; null where this rank is in none.
  const std::vector<c10::intrusive_ptr<c10d::ProcessGroup>>& groups() const { return groups_; }

 private:
  int rank_;
  int size_;
  c10::intrusive_ptr<c10d::ProcessGroup> control_;
  c10::intrusive_ptr<c10d::ProcessGroup> node_;
  c10::intrusive_ptr<c10d::ProcessGroup> cluster_;
  std::vector<c10::intrusive_ptr<c10d::ProcessGroup>> groups_;
};

}  // namespace stallscope
