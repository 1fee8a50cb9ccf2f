#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "stallscope/engine/data_feed.h"
#include "stallscope/engine/messages.h"
#include "stallscope/engine/torch/gradient_sync.h"
#include "stallscope/engine/torch/team.h"
#include "stallscope/engine/torch/trainable_network.h"
#include "stallscope/engine/torch/training_state.h"

namespace stallscope {

/// One rank's training: a network, its optimiser, and a way to average gradients for each group of ranks.
class Trainer {
 public:
  /// `team` may be absent: then nothing can be synchronised (single-process tests).
  Trainer(const TrainingConfig& config, std::unique_ptr<TrainableNetwork> network, Team* team, int rank);

  /// Runs a block's steps. Without synchronisation, everything is as before afterwards.
  std::vector<StepRecord> RunBlock(Sync sync, DataSource data, int steps);

  /// Takes so many steps' batches from the feed and trains on none of them.
  std::vector<StepRecord> DrainFeed(int steps);

  /// Where batches of real data come from; it must outlive the blocks that use it.
  void SetFeed(DataFeed* feed) { feed_ = feed; }
  /// Every step sleeps so long before its backward pass.
  void SetDelay(double seconds) { delay_s_ = seconds; }

  TrainableNetwork& network() { return *network_; }
  /// Replaces the synthetic batch (tests train on parts of one known batch).
  void SetBatches(std::vector<SampleBatch> batches) { batches_ = std::move(batches); }
  /// Steps begun since the start, for heartbeats.
  const std::atomic<std::int64_t>& steps_begun() const { return steps_begun_; }
  void SetRecording(bool record);
  /// Time inside the recording's own calls, so far.
  double RecordingSeconds() const;

 private:
  StepRecord RunStep(GradientSync* sync, DataSource data);
  void RunMicroBatch(const SampleBatch& batch, GradientSync* sync, bool last, StepRecord& record);
  GradientSync* SyncOver(Sync sync);
  const SampleBatch& TakeBatch(DataSource data, std::size_t micro_batch, StepRecord& record);
  const Batch& WaitForBatch(StepRecord& record);

  TrainingConfig config_;
  std::unique_ptr<TrainableNetwork> network_;
  Team* team_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> buffers_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  /// One per micro-batch of an optimiser step.
  std::vector<SampleBatch> batches_;
  SampleBatch copied_batch_;
  DataFeed* feed_ = nullptr;
  double delay_s_ = 0;
  std::optional<GradientSync> node_sync_;
  std::optional<GradientSync> cluster_sync_;
  std::atomic<std::int64_t> steps_begun_ = 0;
  bool record_ = true;
  double own_seconds_ = 0;
};

}  // namespace stallscope
