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

double LatencyOf(const ScalingCase& c) {
  double latency = kHopLatency * (c.gpus_per_node - 1);
  if (c.nodes > 1) {
    const double pair = c.transport == Transport::kRdma  ? kRdmaLatency
                        : c.transport == Transport::kTcp ? kTcpLatency
                                                         : std::sqrt(kRdmaLatency * kTcpLatency);
    latency += pair * (1 + std::log2(c.nodes)) / 2;
  }
  if (!c.stack.fuses) latency += kLaunch;
  return latency;
}

/// What the spreads of all parameters do to the logarithm of a step, and what repeating it does.
template <typename Step>
double Propagated(const MovedValues& moved, const Step& step_with) {
  double variance = kRepeatSpread * kRepeatSpread;
  for (std::size_t i = 0; i < kParameters; ++i) {
    const double effect = std::log(step_with(moved.above[i]) / step_with(moved.below[i])) / 2;
    variance += effect * effect;
  }
  return std::sqrt(variance);
}

/// A step at one scale from one at another, for many sets of parameters.
class Scaler {
 public:
  Scaler(const ScalingCase& known, double known_step, const ScalingCase& target)
      : known_(known), target_(target), known_step_(known_step) {}

  double operator()(const UnitValues& values) const {
    const CaseModel::Terms terms = known_.TermsOf(values);
    // Rates are measured, steps follow from the batch: another batch than the assumed one is another step.
    const double compute = known_.ComputeWithin(known_step_ * known_.BatchFactor(values), terms);
    // The ratio keeps what was measured where the model cannot explain it.
    return known_step_ *
           (target_.Step(compute, target_.TermsOf(values)).step / known_.Step(compute, terms).step);
  }

 private:
  CaseModel known_;
  CaseModel target_;
  double known_step_;
};

}  // namespace

CaseModel::CaseModel(const ScalingCase& scaling_case)
    : c_(scaling_case),
      latency_s_(LatencyOf(scaling_case)),
      expected_maximum_(cost::ExpectedMaximum(scaling_case.ranks())) {}

bool CaseModel::Terms::operator==(const Terms& other) const {
  return channel.seconds_per_byte == other.channel.seconds_per_byte &&
         channel.interference == other.channel.interference && extra == other.extra &&
         prepare_s == other.prepare_s;
}

/// Of a ring inside the machine.
double CaseModel::InsideRate(const UnitValues& values) const {
  const double nvlink = values[Parameter::kNvlinkEfficiency] * c_.inside.wires.value;
  const double pcie = values[Parameter::kPcieEfficiency] * c_.inside.pcie.value;
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
      return HostRate(values);
  }
  return pcie;
}

double CaseModel::HostRate(const UnitValues& values) const {
  const double rate = values[Parameter::kHostStagingRate] * kGiga;
  return c_.gpus_per_node > kGpusPerSocket ? rate * values[Parameter::kSecondSocketShare] : rate;
}

double CaseModel::NetworkRate(const UnitValues& values) const {
  const double rdma = values[Parameter::kRdmaEfficiency] * c_.network.value;
  const double tcp = std::min(values[Parameter::kTcpRate] * kGiga, kSocketEfficiency * c_.network.value);
  double rate = c_.transport == Transport::kRdma ? rdma : tcp;
  if (c_.transport == Transport::kUnknown) rate = std::sqrt(rdma * tcp);
  if (c_.assumed.transport) rate /= values[Parameter::kUnknownTransport];
  if (c_.assumed.bandwidth) rate /= values[Parameter::kUnknownBandwidth];
  return rate;
}

cost::Channel CaseModel::ChannelOf(const UnitValues& values) const {
  const double n = c_.gpus_per_node;
  const double nodes = c_.nodes;
  // A ring moves 2 (n - 1) / n of the payload over every link; across machines each machine moves one sum.
  double inside = 2 * (n - 1) / n / InsideRate(values);
  double across = c_.nodes > 1 ? 2 * (nodes - 1) / nodes / NetworkRate(values) : 0;
  double interference_inside = values[Parameter::kInterferenceInside];
  double interference_across = values[Parameter::kInterferenceAcross];
  if (c_.assumed.link && c_.gpus_per_node > 1) inside *= values[Parameter::kUnknownLink];
  if (c_.sync == GradientSync::kParameterServer) {
    // Variables are spread over the devices: inside, each link carries as much as in a ring. Across, nobody
    // adds up first.
    across *= n;
  } else if (c_.sync == GradientSync::kHostAllReduce) {
    // To the host and back, and every rank is its own there: all of a machine share its interface.
    inside =
        2 / (values[Parameter::kPcieEfficiency] * c_.inside.pcie.value) + 2 * (n - 1) / n / HostRate(values);
    across *= n;
    interference_inside = interference_across = kHostInterference;
  }
  const double spread = values[Parameter::kStackSpread];
  inside *= spread;
  across *= spread;
  if (c_.stack.packs) inside += spread / (values[Parameter::kPackingRate] * kGiga);
  const double both = inside + across;
  return {.latency = Seconds(latency_s_),
          .seconds_per_byte = both,
          .interference = both > 0 ? (interference_inside * inside + interference_across * across) / both : 0,
          .overlap = c_.stack.overlaps ? cost::Overlap::kDuringBackward : cost::Overlap::kAfterBackward};
}

CaseModel::Terms CaseModel::TermsOf(const UnitValues& values) const {
  Terms terms;
  if (c_.ranks() > 1) {
    const double jitter =
        values[Parameter::kJitter] * (c_.real_data ? values[Parameter::kRealDataJitter] : 1);
    terms.extra = values[Parameter::kSyncOverhead] + jitter * expected_maximum_;
    terms.channel = ChannelOf(values);
  }
  terms.prepare_s =
      BatchFactor(values) * c_.prepared_per_step / (values[Parameter::kPreparedPerCpu] * c_.cpus);
  return terms;
}

double CaseModel::BatchFactor(const UnitValues& values) const {
  return c_.assumed.batch ? values[Parameter::kUnknownBatch] : 1;
}

cost::StepTimes CaseModel::Step(double compute_s, const Terms& terms) const {
  // Loader and device fluctuate, so that they bound the step together well before one of them does.
  const double work = std::hypot(compute_s * (1 + terms.extra), terms.prepare_s);
  const cost::StepCompute parts{Seconds(work * kForwardShare), Seconds(work * (1 - kForwardShare)), {}};
  if (c_.ranks() == 1) return cost::SimulateStep(parts, {}, {});
  return cost::SimulateStep(parts, c_.buckets, terms.channel);
}

double CaseModel::ComputeWithin(double step_s, const Terms& terms) const {
  double low = kLeastCompute * step_s;
  double high = step_s;
  double below = Step(low, terms).step.count() - step_s;
  if (below >= 0) return low;
  double above = Step(high, terms).step.count() - step_s;
  // The step grows with its compute, nearly in straight pieces: where the line through both ends of the
  // bracket meets the measured step is close. An end that stays twice counts half (the Illinois rule), so
  // that the bracket closes from both sides.
  int side = 0;
  for (int i = 0; i < 60 && high - low > 1e-7 * high; ++i) {
    const double next = above > 0 ? low - below * (high - low) / (above - below) : high;
    const double value = Step(next, terms).step.count() - step_s;
    if (std::abs(value) <= 1e-9 * step_s) return next;
    if (value < 0) {
      low = next;
      below = value;
      if (side < 0) above /= 2;
      side = -1;
    } else {
      high = next;
      above = value;
      if (side > 0) below /= 2;
      side = 1;
    }
  }
  return high;
}

MovedValues::MovedValues(const ParameterValues& values) : middle(ToUnits(values)) {
  for (std::size_t i = 0; i < kParameters; ++i) {
    const ParameterFacts& facts = AllParameters()[i];
    above[i] = below[i] = middle;
    above[i].values[i] = ToUnit(facts, values[i] + facts.spread);
    below[i].values[i] = ToUnit(facts, values[i] - facts.spread);
  }
}

cost::StepTimes StepOf(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values) {
  const CaseModel model(scaling_case);
  return model.Step(compute.count(), model.TermsOf(ToUnits(values)));
}

Seconds ComputeWithin(const ScalingCase& measured, Seconds step, const ParameterValues& values) {
  const CaseModel model(measured);
  return Seconds(model.ComputeWithin(step.count(), model.TermsOf(ToUnits(values))));
}

Seconds ScaledStepTime(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                       const ParameterValues& values) {
  return Seconds(Scaler(known, known_step.count(), target)(ToUnits(values)));
}

double StepSpread(const ScalingCase& scaling_case, Seconds compute, const ParameterValues& values) {
  const CaseModel model(scaling_case);
  return Propagated(MovedValues(values), [&](const UnitValues& moved) {
    return model.Step(compute.count(), model.TermsOf(moved)).step.count();
  });
}

ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const ParameterValues& values) {
  return Scale(known, known_step, target, MovedValues(values));
}

ScaledStep Scale(const ScalingCase& known, Seconds known_step, const ScalingCase& target,
                 const MovedValues& values) {
  ScaledStep result;
  const CaseModel at_known(known);
  const CaseModel at_target(target);
  const CaseModel::Terms terms = at_known.TermsOf(values.middle);
  const double compute = at_known.ComputeWithin(known_step.count(), terms);
  const cost::StepTimes times = at_target.Step(compute, at_target.TermsOf(values.middle));
  result.compute = Seconds(compute);
  result.exposed_share = times.exposed / times.step;
  result.step = known_step * (times.step / at_known.Step(compute, terms).step);
  result.log_spread = Propagated(values, Scaler(known, known_step.count(), target));
  return result;
}

}  // namespace stallscope
