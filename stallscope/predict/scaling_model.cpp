#include "stallscope/predict/scaling_model.h"

#include <algorithm>
#include <cmath>

#include "stallscope/cost/stragglers.h"

namespace stallscope {
namespace {

/// A backward pass computes two products where the forward pass computes one.
constexpr double kForwardShare = 1.0 / 3;
/// Of one hop between GPUs of a machine: 28 us on 2 V100 over PCIe, 97 us on 8 A100 over NVLink, 1 MB each.
constexpr double kHopLatency = 12e-6;
/// Of an all-reduce over two machines, 1 MB and less: InfiniBand 0.14 ms, EFA 0.3 to 0.5 ms, TCP 1.1 ms.
constexpr double kRdmaLatency = 0.2e-3;
constexpr double kTcpLatency = 1e-3;
/// Launching a collective, where every tensor has its own.
constexpr double kLaunch = 30e-6;
/// Sockets leave a fifth of a link to headers and copies.
constexpr double kSocketEfficiency = 0.8;
/// Processors reduce beside the device, which hardly notices.
constexpr double kHostInterference = 0.05;
/// GPUs of one socket.
constexpr int kGpusPerSocket = 4;
constexpr double kGiga = 1e9;
/// Of a measured step, what at least was compute.
constexpr double kLeastCompute = 0.05;

class Model {
 public:
  Model(const ScalingCase& scaling_case, const ParameterValues& values) : c_(scaling_case), values_(values) {}

  double Positive(Parameter parameter) const { return std::exp(At(values_, parameter)); }
  double Share(Parameter parameter) const { return 1 / (1 + std::exp(-At(values_, parameter))); }

  /// Of a ring inside the machine.
  double InsideRate() const {
    const double nvlink = Positive(Parameter::kNvlinkEfficiency) * c_.inside.wires.value;
    const double pcie = Positive(Parameter::kPcieEfficiency) * c_.inside.pcie.value;
    switch (c_.inside.kind) {
      case InsideKind::kNone:
        break;
      case InsideKind::kNvlink:
        return nvlink;
      case InsideKind::kPcie:
        return pcie;
      case InsideKind::kBridgeOrPcie:
        return std::sqrt(nvlink * pcie);
      case InsideKind::kHostStaged:
        return HostRate();
    }
    return pcie;
  }

  double HostRate() const {
    const double rate = Positive(Parameter::kHostStagingRate) * kGiga;
    return c_.gpus_per_node > kGpusPerSocket ? rate * Positive(Parameter::kSecondSocketShare) : rate;
  }

  double NetworkRate() const {
    const double rdma = Positive(Parameter::kRdmaEfficiency) * c_.network.value;
    const double tcp = std::min(Positive(Parameter::kTcpRate) * kGiga, kSocketEfficiency * c_.network.value);
    double rate = c_.transport == Transport::kRdma ? rdma : tcp;
    if (c_.transport == Transport::kUnknown) rate = std::sqrt(rdma * tcp);
    if (c_.assumed.transport) rate /= Positive(Parameter::kUnknownTransport);
    if (c_.assumed.bandwidth) rate /= Positive(Parameter::kUnknownBandwidth);
    return rate;
  }

  double Latency() const {
    double latency = kHopLatency * (c_.gpus_per_node - 1);
    if (c_.nodes > 1) {
      const double pair = c_.transport == Transport::kRdma  ? kRdmaLatency
                          : c_.transport == Transport::kTcp ? kTcpLatency
                                                            : std::sqrt(kRdmaLatency * kTcpLatency);
      latency += pair * (1 + std::log2(c_.nodes)) / 2;
    }
    if (!c_.stack.fuses) latency += kLaunch;
    return latency;
  }

  cost::Channel MakeChannel() const {
    const double n = c_.gpus_per_node;
    const double nodes = c_.nodes;
    // A ring moves 2 (n - 1) / n of the payload over every link; across machines each machine moves one sum.
    double inside = 2 * (n - 1) / n / InsideRate();
    double across = c_.nodes > 1 ? 2 * (nodes - 1) / nodes / NetworkRate() : 0;
    double interference_inside = Share(Parameter::kInterferenceInside);
    double interference_across = Share(Parameter::kInterferenceAcross);
    if (c_.assumed.link && c_.gpus_per_node > 1) inside *= Positive(Parameter::kUnknownLink);
    if (c_.sync == GradientSync::kParameterServer) {
      // Variables are spread over the devices: inside, each link carries as much as in a ring. Across, nobody
      // adds up first.
      across *= n;
    } else if (c_.sync == GradientSync::kHostAllReduce) {
      // To the host and back, and every rank is its own there: all of a machine share its interface.
      inside =
          2 / (Positive(Parameter::kPcieEfficiency) * c_.inside.pcie.value) + 2 * (n - 1) / n / HostRate();
      across *= n;
      interference_inside = interference_across = kHostInterference;
    }
    const double spread = Positive(Parameter::kStackSpread);
    inside *= spread;
    across *= spread;
    if (c_.stack.packs) inside += spread / (Positive(Parameter::kPackingRate) * kGiga);
    const double both = inside + across;
    return {
        .latency = Seconds(Latency()),
        .seconds_per_byte = both,
        .interference = both > 0 ? (interference_inside * inside + interference_across * across) / both : 0,
        .overlap = c_.stack.overlaps ? cost::Overlap::kDuringBackward : cost::Overlap::kAfterBackward};
  }

  /// Of the device, with what a job of many ranks adds to it.
  double Work(double compute) const {
    double extra = 0;
    if (c_.ranks() > 1) {
      const double jitter =
          Positive(Parameter::kJitter) * (c_.real_data ? Positive(Parameter::kRealDataJitter) : 1);
      extra = Positive(Parameter::kSyncOverhead) + jitter * cost::ExpectedMaximum(c_.ranks());
    }
    // Loader and device fluctuate, so that they bound the step together well before one of them does.
    const double prepare =
        BatchFactor() * c_.prepared_per_step / (Positive(Parameter::kPreparedPerCpu) * c_.cpus);
    return std::hypot(compute * (1 + extra), prepare);
  }

  /// How much larger the batch is than assumed; 1 where it is known.
  double BatchFactor() const { return c_.assumed.batch ? Positive(Parameter::kUnknownBatch) : 1; }

  cost::StepTimes Step(double compute) const {
    const double work = Work(compute);
    const cost::StepCompute parts{Seconds(work * kForwardShare), Seconds(work * (1 - kForwardShare)), {}};
    if (c_.ranks() == 1) return cost::SimulateStep(parts, {}, {});
    return cost::SimulateStep(parts, c_.buckets, MakeChannel());
  }

 private:
  const ScalingCase& c_;
  const ParameterValues& values_;
};

/// What the spreads of all parameters do to the logarithm of a step, and what repeating it does.
template <typename Step>
double Propagated(const ParameterValues& values, const Step& step_with) {
  double variance = kRepeatSpread * kRepeatSpread;
  ParameterValues moved = values;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double spread = AllParameters()[i].spread;
    moved[i] = values[i] + spread;
    const double above = std::log(step_with(moved).count());
    moved[i] = values[i] - spread;
    const double below = std::log(step_with(moved).count());
    moved[i] = values[i];
    variance += (above - below) * (above - below) / 4;
  }
  return std::sqrt(variance);
}

}  // namespace

cost::StepTimes StepOf(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values) {
  return Model(scaling_case, values).Step(compute.count());
}

Seconds ComputeWithin(const ScalingCase& measured, Seconds step, const ParameterValues& values) {
  const Model model(measured, values);
  double low = kLeastCompute * step.count();
  double high = step.count();
  if (model.Step(low).step >= step) return Seconds(low);
  // The step grows with its compute, by at least as much: halving the bracket converges.
  for (int i = 0; i < 40 && high - low > 1e-7 * high; ++i) {
    const double middle = (low + high) / 2;
    (model.Step(middle).step < step ? low : high) = middle;
  }
  return Seconds(high);
}

Seconds ScaledStepTime(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                       const ParameterValues& values) {
  // Rates are measured, steps follow from the batch: another batch than the assumed one is another step.
  const Seconds compute = ComputeWithin(known, known_step * Model(known, values).BatchFactor(), values);
  // The ratio keeps what was measured where the model cannot explain it.
  return known_step * (StepOf(target, compute, values).step / StepOf(known, compute, values).step);
}

double StepSpread(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values) {
  return Propagated(values,
                    [&](const ParameterValues& moved) { return StepOf(scaling_case, compute, moved).step; });
}

ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const ParameterValues& values) {
  ScaledStep result;
  result.compute = ComputeWithin(known, known_step, values);
  const cost::StepTimes times = StepOf(target, result.compute, values);
  result.exposed_share = times.exposed / times.step;
  result.step = known_step * (times.step / StepOf(known, result.compute, values).step);
  result.log_spread = Propagated(
      values, [&](const ParameterValues& moved) { return ScaledStepTime(known, known_step, target, moved); });
  return result;
}

}  // namespace stallscope
