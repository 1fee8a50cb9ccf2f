#include "stallscope/predict/exchange_law.h"

#include <algorithm>
#include <cmath>

#include "stallscope/engine/bucket.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/processor_step.h"

namespace stallscope {
namespace {

constexpr double kFloatBytes = 4;

/// A bucket on its way: from when to when, and what it takes of the processor meanwhile.
struct Transfer {
  double begin;
  double end;
  double processor_share;
};

/// The processor of a rank and the channel between ranks, while a step's gradients travel one bucket after
/// the other.
class ExchangeClock {
 public:
  ExchangeClock(const ExchangeLaw& law, const ExchangeStep& step)
      : messages_s_(2.0 * (step.ranks - 1) * law.message_s),
        processor_(2.0 * (step.ranks - 1) / step.ranks * law.processor_s_per_byte),
        wire_(step.wire ? 2.0 * (step.ranks - 1) / step.ranks / (law.wire_share * step.wire->value) : 0),
        burst_(wire_ > 0 ? step.burst.value : 0),
        tokens_(burst_) {}

  double now() const { return now_; }
  double free() const { return free_; }
  double transfers() const { return transfers_; }

  /// The rank computes for so many undisturbed seconds.
  void Compute(double work) {
    while (next_ < queue_.size() && work > 0) {
      const Transfer& transfer = queue_[next_];
      const double alone = std::min(work, std::max(0.0, transfer.begin - now_));
      now_ += alone;
      work -= alone;
      if (work <= 0) return;
      const double speed = 1 - transfer.processor_share;
      const double possible = speed * (transfer.end - now_);
      if (work < possible) {
        now_ += work / speed;
        return;
      }
      work -= possible;
      now_ = transfer.end;
      ++next_;
    }
    now_ += work;
  }

  /// A bucket is handed over.
  void Send(double bytes) {
    const double begin = std::max(now_, free_);
    const double on_processor = messages_s_ + processor_ * bytes;
    double on_wire = messages_s_;
    if (wire_ > 0) {
      tokens_ = std::min(burst_, tokens_ + (begin - free_) / wire_);
      const double at_once = std::min(tokens_, bytes);
      tokens_ -= at_once;
      on_wire += wire_ * (bytes - at_once);
    }
    const double seconds = std::max(on_processor, on_wire);
    free_ = begin + seconds;
    transfers_ += seconds;
    queue_.push_back({begin, free_, seconds > 0 ? on_processor / seconds : 0});
  }

 private:
  double messages_s_;  ///< of an all-reduce
  double processor_;   ///< of a gradient's byte
  double wire_;
  double burst_;
  double tokens_;  ///< bytes that would pass at once
  double now_ = 0;
  double free_ = 0;
  double transfers_ = 0;
  std::vector<Transfer> queue_;
  std::size_t next_ = 0;  ///< the first transfer that the processor has not outlived
};

struct Simulated {
  double stall;
  double transfers;
};

Simulated Simulate(const ExchangeLaw& law, const ExchangeStep& step) {
  const double slower = 1 + law.straggling;
  const double backward = slower * step.compute.backward.count() + law.tensor_s * step.tensors;
  ExchangeClock clock(law, step);
  clock.Compute(slower * step.compute.forward.count());
  if (step.broadcasts) clock.Compute(std::ceil(std::log2(step.ranks)) * law.message_s);
  double done = 0;
  for (const cost::GradientBucket& bucket : step.buckets) {
    if (bucket.ready > done) {
      clock.Compute((bucket.ready - done) * backward);
      done = bucket.ready;
    }
    clock.Send(bucket.size.value);
  }
  clock.Compute((1 - done) * backward);
  const cost::StepCompute& compute = step.compute;
  const double alone = (compute.forward + compute.backward + compute.optimizer).count();
  const double end = std::max(clock.now(), clock.free()) + slower * compute.optimizer.count();
  return {end - alone, clock.transfers()};
}

}  // namespace

const std::array<LawCoefficient, kLawCoefficients>& LawCoefficients() {
  static const std::array<LawCoefficient, kLawCoefficients> coefficients = {{
      {"message_s", "s", "of each of the 2(n-1) messages of an all-reduce among n ranks",
       &ExchangeLaw::message_s, 100e-6},
      {"tensor_s", "s", "of every gradient tensor, in whatever bucket it travels", &ExchangeLaw::tensor_s,
       20e-6},
      {"processor_s_per_byte", "s/B", "processor time of a byte that a rank sends and receives",
       &ExchangeLaw::processor_s_per_byte, 1e-9},
      {"wire_share", "share", "what gradients get of a link's line rate", &ExchangeLaw::wire_share, 0.1},
      {"straggling", "share", "how much longer ranks compute in steps that synchronise",
       &ExchangeLaw::straggling, 0.05},
  }};
  return coefficients;
}

Seconds StallUnder(const ExchangeLaw& law, const ExchangeStep& step) {
  return Seconds(Simulate(law, step).stall);
}

ExchangeStall StallParts(const ExchangeLaw& law, const ExchangeStep& step) {
  const Simulated whole = Simulate(law, step);
  ExchangeStep fast = step;
  fast.wire = std::nullopt;
  ExchangeLaw without = law;
  const double no_wire = Simulate(without, fast).stall;
  without.message_s = without.tensor_s = 0;
  const double no_calls = Simulate(without, fast).stall;
  without.processor_s_per_byte = 0;
  const double alone = Simulate(without, fast).stall;
  return {.stall = Seconds(whole.stall),
          .wire = Seconds(whole.stall - no_wire),
          .calls = Seconds(no_wire - no_calls),
          .processors = Seconds(no_calls - alone),
          .stragglers = Seconds(alone),
          .hidden = Seconds(std::max(0.0, whole.transfers - (whole.stall - alone)))};
}

std::vector<cost::GradientBucket> EngineBuckets(const Network& network, const std::string& bucket,
                                                double batch, Seconds backward, BytesPerSecond memory) {
  const std::vector<double> shares = BackwardShares(network, batch, backward, memory);
  const BucketCaps caps = ParseBucket(bucket);
  return BucketsOf(network, kFloatBytes,
                   {{static_cast<double>(caps.first_bytes)}, {static_cast<double>(caps.bytes)}}, shares);
}

}  // namespace stallscope
