#include "stallscope/engine/torch/trainer.h"

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <thread>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// bf16 as users get it from torch.autocast on a CPU: fp32 weights and gradients, bf16 arithmetic where
/// it is safe.
class Autocast {
 public:
  explicit Autocast(bool enabled) : enabled_(enabled) {
    if (!enabled_) return;
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!enabled_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_cpu_enabled(false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
};

void CopyBatch(const SampleBatch& from, SampleBatch& to) {
  if (!to.inputs.defined()) {
    to.inputs = at::empty_like(from.inputs);
    // Language models take their targets from the inputs.
    if (from.targets.defined()) to.targets = at::empty_like(from.targets);
  }
  to.inputs.copy_(from.inputs);
  if (from.targets.defined()) to.targets.copy_(from.targets);
}

/// A loader's batch as tensors of the same shape as a synthetic one, without a copy.
SampleBatch ViewOf(const Batch& batch, const SampleBatch& like) {
  // torch has no view of constant memory; nobody writes through this one.
  const auto view = [](const auto* data, at::IntArrayRef shape, at::ScalarType type) {
    return at::from_blob(const_cast<void*>(static_cast<const void*>(data)), shape, type);
  };
  if (batch.tokens.empty()) {
    return {.inputs = view(batch.pixels.data(), like.inputs.sizes(), at::kFloat),
            .targets = view(batch.labels.data(), like.targets.sizes(), at::kLong)};
  }
  // The token after the last is the file's next target; these networks take their targets from the inputs.
  const std::int64_t length = like.inputs.size(1);
  const at::Tensor tokens = view(batch.tokens.data(), {like.inputs.size(0), length + 1}, at::kLong);
  SampleBatch tensors{.inputs = tokens.narrow(1, 0, length)};
  if (like.targets.defined()) tensors.targets = at::zeros_like(like.targets);
  return tensors;
}

}  // namespace

Trainer::Trainer(const TrainingConfig& config, std::unique_ptr<TrainableNetwork> network, Team* team,
                 int rank)
    : config_(config), network_(std::move(network)), team_(team) {
  parameters_ = network_->Parameters();
  buffers_ = network_->Buffers();
  if (team_ != nullptr) {
    // As DistributedDataParallel: everyone starts from rank 0's weights.
    std::vector<at::Tensor> everything;
    for (const at::Tensor& tensor : parameters_) everything.push_back(tensor.detach());
    for (const at::Tensor& tensor : buffers_) everything.push_back(tensor.detach());
    team_->BroadcastTensors(everything);
  }
  optimizer_ = MakeOptimizer(config.optimizer, parameters_);
  for (int i = 0; i < config.accumulate; ++i) {
    const auto seed =
        config.seed + static_cast<std::uint64_t>(rank) * 1000003u + static_cast<std::uint64_t>(i);
    batches_.push_back(network_->SyntheticBatch(config.batch, seed));
  }
  network_->SetTraining(true);
}

std::vector<StepRecord> Trainer::RunBlock(Sync sync, DataSource data, int steps) {
  GradientSync* gradients = SyncOver(sync);
  std::optional<TrainingSnapshot> before;
  if (gradients == nullptr) before.emplace(parameters_, buffers_, *optimizer_);
  std::vector<StepRecord> records;
  records.reserve(static_cast<std::size_t>(steps));
  for (int i = 0; i < steps; ++i) records.push_back(RunStep(gradients, data));
  if (before) before->Restore(parameters_, buffers_, *optimizer_);
  return records;
}

std::vector<StepRecord> Trainer::DrainFeed(int steps) {
  std::vector<StepRecord> records;
  for (int i = 0; i < steps; ++i) {
    ++steps_begun_;
    StepRecord& record = records.emplace_back();
    record.start_s = MonotonicSeconds();
    for (int batch = 0; batch < config_.accumulate; ++batch) WaitForBatch(record);
    record.total_s = MonotonicSeconds() - record.start_s;
  }
  return records;
}

StepRecord Trainer::RunStep(GradientSync* sync, DataSource data) {
  ++steps_begun_;
  StepRecord record;
  record.start_s = MonotonicSeconds();
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    RunMicroBatch(TakeBatch(data, i, record), sync, i + 1 == batches_.size(), record);
  }
  const double before_optimizer = MonotonicSeconds();
  optimizer_->step();
  // Gone rather than zero: the next backward pass then moves its gradients in instead of adding them.
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  const double end = MonotonicSeconds();
  record.optimizer_s = end - before_optimizer;
  record.total_s = end - record.start_s;
  return record;
}

void Trainer::RunMicroBatch(const SampleBatch& batch, GradientSync* sync, bool last, StepRecord& record) {
  const double begin = MonotonicSeconds();
  GradientSync* const active = last ? sync : nullptr;  // as in DistributedDataParallel's no_sync()
  double forward_begin = begin;
  if (active != nullptr) {
    active->BeforeForward();
    if (config_.broadcast_buffers) active->BroadcastBuffers(buffers_);
    forward_begin = MonotonicSeconds();
    record.exposed_communication_s += forward_begin - begin;
  }
  at::Tensor loss;
  {
    const Autocast autocast(config_.dtype == "bf16");
    loss = network_->Loss(batch);
    if (batches_.size() > 1) loss = loss / static_cast<double>(batches_.size());
  }
  record.loss += loss.item<double>();
  if (delay_s_ > 0 && last) std::this_thread::sleep_for(std::chrono::duration<double>(delay_s_));
  if (active != nullptr) active->BeforeBackward(loss);
  const double backward_begin = MonotonicSeconds();
  loss.backward();
  const double end = MonotonicSeconds();
  record.forward_s += backward_begin - forward_begin;
  if (active == nullptr || !record_) {
    record.backward_s += end - backward_begin;
    return;
  }
  GradientSync::Times times = active->TakeTimes();
  const double noting = MonotonicSeconds();
  const double computed = std::clamp(times.last_gradient_s, backward_begin, end);
  record.backward_s += computed - backward_begin;
  record.exposed_communication_s += end - computed;
  for (BucketTimes& bucket : times.buckets) {
    bucket.ready_s -= record.start_s;
    bucket.begin_s -= record.start_s;
    bucket.end_s -= record.start_s;
  }
  record.buckets = std::move(times.buckets);
  own_seconds_ += MonotonicSeconds() - noting;
}

const SampleBatch& Trainer::TakeBatch(DataSource data, std::size_t micro_batch, StepRecord& record) {
  const SampleBatch& batch = batches_[micro_batch];
  if (data == DataSource::kResident) return batch;
  std::optional<SampleBatch> loaded;
  if (IsRealData(data)) loaded = ViewOf(WaitForBatch(record), batch);
  const double begin = MonotonicSeconds();
  CopyBatch(loaded ? *loaded : batch, copied_batch_);
  record.copy_s += MonotonicSeconds() - begin;
  return copied_batch_;
}

const Batch& Trainer::WaitForBatch(StepRecord& record) {
  if (feed_ == nullptr) throw Error("there is no data to train on", "give --data");
  const double begin = MonotonicSeconds();
  const Batch& batch = feed_->Next();
  record.data_wait_s += MonotonicSeconds() - begin;
  return batch;
}

GradientSync* Trainer::SyncOver(Sync sync) {
  if (sync == Sync::kNone) return nullptr;
  if (team_ == nullptr) throw Error("there is no team to synchronise with", "run a block without sync");
  const auto& group = sync == Sync::kNode ? team_->node_group() : team_->cluster_group();
  if (!group) throw Error("there is no group for this sync", "the cluster group needs several machines");
  std::optional<GradientSync>& slot = sync == Sync::kNode ? node_sync_ : cluster_sync_;
  if (!slot) {
    slot.emplace(parameters_, network_->ParameterNames(), group, ParseBucket(config_.bucket));
    slot->SetRecording(record_);
  }
  return &*slot;
}

double Trainer::RecordingSeconds() const {
  double sum = own_seconds_;
  for (const auto* sync : {&node_sync_, &cluster_sync_}) {
    if (sync->has_value()) sum += (*sync)->RecordingSeconds();
  }
  return sum;
}

void Trainer::SetRecording(bool record) {
  record_ = record;
  for (auto* sync : {&node_sync_, &cluster_sync_}) {
    if (sync->has_value()) (*sync)->SetRecording(record);
  }
}

}  // namespace stallscope
