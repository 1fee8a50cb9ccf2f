#include "stallscope/predict/exchange_law.h"

#include <algorithm>
#include <cmath>

#include "stallscope/engine/bucket.h"
#include "stallscope/predict/gradient_buckets.h"
#include "stallscope/predict/processor_step.h"

namespace stallscope {
namespace {

constexpr double kFloatBytes = 4;
/// What all-reduces wait for each other, of what they would with exponential times. An all-reduce has two
/// halves (reduce and scatter, gather): the squared coefficient of variation of a sum of two such times is
/// 1/2.
constexpr double kUnevenness = 0.5;
/// What delays a rank does so for about a tick of the scheduler (Debian's kernels have 250 a second): in
/// shorter times it comes as a whole or not at all.
constexpr double kTick = 4e-3;

/// The channel is busy: from when to when, and what that takes of the processor.
struct BusyTime {
  double begin;
  double end;
  double processor_share;
};

/// The processor of a rank and the channel between ranks, while a step's gradients travel. Two all-reduces
/// are under way at once: while one is being handled, another is on the wire. Handled are messages and bytes.
/// Two jobs that go round between two servers, which take h and w for each, take the longer of both apiece if
/// all come evenly; with exponential times (a closed queueing network) longer by s^2 / (h + w), s being the
/// shorter.
class ExchangeClock {
 public:
  ExchangeClock(const ExchangeLaw& law, const ExchangeStep& step)
      : messages_s_(2.0 * (step.ranks - 1) * law.message_s),
        processor_(2.0 * (step.ranks - 1) / step.ranks * law.processor_s_per_byte),
        wire_(step.wire ? 2.0 * (step.ranks - 1) / step.ranks / (law.wire_share * step.wire->value) : 0),
        burst_(wire_ > 0 ? step.burst.value : 0) {
    busy_.reserve(step.buckets.size());
  }

  /// The wire has been idle for so long when the step begins.
  void WireIdleBefore(double seconds) { wire_free_ = -seconds; }

  double now() const { return now_; }
  /// The last bucket has arrived.
  double arrived() const { return arrived_; }
  /// Time in which something was under way: what would have to hide.
  double transfers() const { return transfers_; }

  /// The rank computes for so many undisturbed seconds.
  void Compute(double work) {
    while (next_ < busy_.size() && work > 0) {
      const BusyTime& busy = busy_[next_];
      const double alone = std::min(work, std::max(0.0, busy.begin - now_));
      now_ += alone;
      work -= alone;
      if (work <= 0) return;
      const double speed = 1 - busy.processor_share;
      const double possible = speed * std::max(0.0, busy.end - now_);
      if (work < possible) {
        now_ += work / speed;
        return;
      }
      work -= possible;
      now_ = std::max(now_, busy.end);
      ++next_;
    }
    now_ += work;
  }

  /// A bucket is handed over.
  void Send(double bytes) {
    const double before = std::max(now_, arrived_);
    if (now_ >= arrived_) {
      busy_since_ = now_;
      handled_ = wired_ = 0;
    }
    handled_ += messages_s_ + processor_ * bytes;
    if (wire_ > 0) {
      const double begin = std::max(now_, wire_free_);
      tokens_ = std::min(burst_, tokens_ + (begin - wire_free_) / wire_);
      const double at_once = std::min(tokens_, bytes);
      tokens_ -= at_once;
      wired_ += wire_ * (bytes - at_once);
      wire_free_ = begin + wire_ * (bytes - at_once);
    }
    const auto [shorter, longer] = std::minmax(handled_, wired_);
    const double waiting = shorter > 0 ? kUnevenness * shorter * shorter / (shorter + longer) : 0;
    arrived_ = std::max(before, busy_since_ + longer + waiting);
    const double length = arrived_ - before;
    owed_ += processor_ * bytes;
    const double taken = std::min(owed_, length);
    owed_ -= taken;
    transfers_ += length;
    if (length > 0) busy_.push_back({before, before + length, taken / length});
  }

 private:
  double messages_s_;  ///< of an all-reduce
  double processor_;   ///< of a gradient's byte
  double wire_;        ///< likewise
  double burst_;
  double tokens_ = 0;  ///< bytes that would pass the wire at once
  double now_ = 0;
  double arrived_ = 0;
  double busy_since_ = 0;  ///< the channel, without a pause
  double handled_ = 0;     ///< since then
  double wired_ = 0;       ///< likewise
  double wire_free_ = 0;
  double transfers_ = 0;
  double owed_ = 0;  ///< processor time that no busy time holds yet
  std::vector<BusyTime> busy_;
  std::size_t next_ = 0;  ///< the first busy time that the processor has not outlived
};

/// Computing takes so many times as long where the slowest rank counts. What delays ranks in short moments,
/// each on its own, adds up as the root of time.
double SlowerWithOthers(const ExchangeLaw& law, const cost::StepCompute& compute) {
  const double alone = (compute.forward + compute.backward + compute.optimizer).count();
  return 1 + law.straggling_s / std::sqrt(alone + kTick);
}

struct Simulated {
  double stall;
  double transfers;
};

Simulated Simulate(const ExchangeLaw& law, const ExchangeStep& step) {
  const double slower = SlowerWithOthers(law, step.compute);
  const double backward = slower * step.compute.backward.count() + law.tensor_s * step.tensors;
  double bytes = 0;
  for (const cost::GradientBucket& bucket : step.buckets) bytes += bucket.size.value;
  const double copied = bytes > 0 ? std::max(0.0, 1 - step.cached.value / bytes) : 0;
  const double copy_s_per_byte = copied * law.copy_s_per_byte;
  const double ending = copy_s_per_byte * bytes + slower * step.compute.optimizer.count();
  ExchangeClock clock(law, step);
  clock.WireIdleBefore(ending);  // of the step before
  clock.Compute(slower * step.compute.forward.count());
  if (step.broadcasts) clock.Compute(std::ceil(std::log2(step.ranks)) * law.message_s);
  double done = 0;
  for (const cost::GradientBucket& bucket : step.buckets) {
    if (bucket.ready > done) {
      clock.Compute((bucket.ready - done) * backward);
      done = bucket.ready;
    }
    clock.Compute(copy_s_per_byte * bucket.size.value);
    clock.Send(bucket.size.value);
  }
  clock.Compute((1 - done) * backward);
  const cost::StepCompute& compute = step.compute;
  const double alone = (compute.forward + compute.backward + compute.optimizer).count();
  const double end = std::max(clock.now(), clock.arrived()) + ending;
  return {end - alone, clock.transfers()};
}

}  // namespace

const std::array<LawCoefficient, kLawCoefficients>& LawCoefficients() {
  static const std::array<LawCoefficient, kLawCoefficients> coefficients = {{
      {"message_s", "s", "of each of the 2(n-1) messages of an all-reduce among n ranks",
       &ExchangeLaw::message_s, 100e-6, 0},
      {"tensor_s", "s", "of every gradient tensor, in whatever bucket it travels", &ExchangeLaw::tensor_s,
       20e-6, 0},
      {"processor_s_per_byte", "s/B", "processor time of a byte that a rank sends and receives",
       &ExchangeLaw::processor_s_per_byte, 1e-9, 0},
      {"copy_s_per_byte", "s/B",
       "of a gradient's byte beyond the core's cache that is gathered into a bucket, and as much when it is "
       "scattered",
       &ExchangeLaw::copy_s_per_byte, 0.5e-9, 0},
      {"wire_share", "share", "what gradients get of a link's line rate", &ExchangeLaw::wire_share, 0.1,
       0.01},
      {"straggling_s", "s",
       "what a step that computes for a second loses beside an exchange, waiting for the slowest rank and "
       "with colder caches; it grows with the root of that time",
       &ExchangeLaw::straggling_s, 0.02, 0},
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
  without.processor_s_per_byte = without.copy_s_per_byte = 0;
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
