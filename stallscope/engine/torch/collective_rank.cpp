#include "stallscope/engine/torch/collective_rank.h"

#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "stallscope/base/clock.h"
#include "stallscope/base/root.h"

namespace stallscope {
namespace {

using WorkPointer = c10::intrusive_ptr<c10d::Work>;

constexpr int kFirst = 0;
constexpr int kSecond = 1;
constexpr int kTag = 11;
/// Messages on their way at once: with those of a megabyte that a stream has, more than the links fill that
/// CPUs do collectives over.
constexpr std::size_t kWindow = 8;
constexpr std::int64_t kElementBytes = 4;

WorkPointer Send(c10d::ProcessGroup& group, const at::Tensor& message, int to) {
  std::vector<at::Tensor> tensors = {message};
  return group.send(tensors, to, kTag);
}

WorkPointer Receive(c10d::ProcessGroup& group, const at::Tensor& message, int from) {
  std::vector<at::Tensor> tensors = {message};
  return group.recv(tensors, from, kTag);
}

}  // namespace

CollectiveReport CollectiveRank::Run(const CollectiveRequest& request) {
  CollectiveReport report{.times = {},
                          .loads = {},
                          .machine = ReadText({}, "proc/sys/kernel/random/boot_id").value_or(""),
                          .cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
  const auto& group = team_.groups().at(request.group);
  if (!group) return report;
  for (const CollectiveBlock& block : request.blocks) {
    const ForeignWatch watch;
    report.times.push_back(RunBlock(block, *group));
    report.loads.push_back(watch.Span());
  }
  return report;
}

double CollectiveRank::RunBlock(const CollectiveBlock& block, c10d::ProcessGroup& group) {
  AllReduce(group, block.warm_bytes, block.warm_repeats);
  if (block.kind == CollectiveKind::kPing) return Ping(group, block.bytes, block.repeats);
  if (block.kind == CollectiveKind::kStream) return Stream(group, block.bytes, block.repeats);
  const double begin = MonotonicSeconds();
  AllReduce(group, block.bytes, block.repeats);
  return (MonotonicSeconds() - begin) / block.repeats;
}

void CollectiveRank::AllReduce(c10d::ProcessGroup& group, std::int64_t bytes, int repeats) {
  std::vector<at::Tensor> tensors = {Message(bytes)};
  for (int i = 0; i < repeats; ++i) group.allreduce(tensors)->wait();
}

double CollectiveRank::Ping(c10d::ProcessGroup& group, std::int64_t bytes, int repeats) {
  // Gloo sends nothing before it was told that the other side is ready to receive. So that a ping is one
  // message each way and not two, both sides say so before they send. The first round trip is not timed:
  // only after it has everybody been told.
  const at::Tensor message = Message(bytes);
  const at::Tensor answer = at::zeros_like(message);
  if (group.getRank() == kFirst) {
    double begin = 0;
    for (int i = 0; i <= repeats; ++i) {
      if (i == 1) begin = MonotonicSeconds();
      const WorkPointer back = Receive(group, answer, kSecond);
      Send(group, message, kSecond)->wait();
      back->wait();
    }
    return (MonotonicSeconds() - begin) / (2.0 * repeats);
  }
  if (group.getRank() == kSecond) {
    WorkPointer next = Receive(group, answer, kFirst);
    for (int i = 0; i <= repeats; ++i) {
      next->wait();
      if (i < repeats) next = Receive(group, answer, kFirst);
      Send(group, message, kFirst)->wait();
    }
  }
  return 0;
}

double CollectiveRank::Stream(c10d::ProcessGroup& group, std::int64_t bytes, int repeats) {
  const int rank = group.getRank();
  if (rank != kFirst && rank != kSecond) return 0;
  const at::Tensor message = Message(bytes);
  std::deque<WorkPointer> on_their_way;
  double begin = 0;
  int ended = 0;
  const auto end_oldest = [&] {
    on_their_way.front()->wait();
    on_their_way.pop_front();
    // The first message pays for the way and for the link's burst; from its end on, the rest flows.
    if (ended++ == 0) begin = MonotonicSeconds();
  };
  for (int i = 0; i <= repeats; ++i) {
    if (on_their_way.size() == kWindow) end_oldest();
    on_their_way.push_back(rank == kFirst ? Send(group, message, kSecond) : Receive(group, message, kFirst));
  }
  while (!on_their_way.empty()) end_oldest();
  return rank == kSecond ? (MonotonicSeconds() - begin) / repeats : 0;
}

at::Tensor CollectiveRank::Message(std::int64_t bytes) {
  const std::int64_t elements = bytes / kElementBytes;
  if (!memory_.defined() || memory_.numel() < elements) {
    memory_ = at::Tensor();
    memory_ = at::zeros({elements}, at::kFloat);
  }
  return memory_.narrow(0, 0, elements);
}

}  // namespace stallscope
