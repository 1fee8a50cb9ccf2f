#include "stallscope/predict/card_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr double kBitsPerByte = 8;

Estimate Sum(const Estimate& one, const Estimate& other) {
  return {one.mean + other.mean, one.low + other.low, one.high + other.high};
}

Estimate Times(const Estimate& estimate, double factor) {
  return {factor * estimate.mean, factor * estimate.low, factor * estimate.high};
}

/// What a resource that needs `alone` for a step lets it wait, at least what was measured.
Estimate Wait(const std::optional<Estimate>& alone, double share, const Estimate& step,
              const Stall& measured) {
  const double beyond = alone ? share * alone->mean - step.mean : 0;
  if (beyond <= measured.seconds.mean) return measured.seconds;
  const double half = std::hypot(share * alone->HalfWidth(), step.HalfWidth());
  return {beyond, std::max(0.0, beyond - half), beyond + half};
}

std::string LinkText(const MachineCard& card, const LinkTarget& target) {
  if (target.wire) return fmt::format("TCP over {:g} Gbit", target.wire->value * kBitsPerByte / 1e9);
  return fmt::format("the link that {} was probed over", card.host.name);
}

}  // namespace

bool KnowsLinkBetweenMachines(const MachineCard& card) {
  return std::any_of(card.collectives.begin(), card.collectives.end(),
                     [](const CollectiveCurve& curve) { return curve.where == "cluster" && curve.fit; });
}

PredictedMachine ToDocument(const MeasuredPrediction& prediction, const Profile& profile,
                            const MachineCard& card, const LinkTarget& target) {
  PredictedMachine document{.instance = card.host.name,
                            .provider = "own",
                            .gpu = "cpu",
                            .nodes = target.nodes,
                            .devices_per_node = target.devices_per_node};
  document.description = target.nodes > 1              ? LinkText(card, target) + " between"
                         : target.devices_per_node > 1 ? "all-reduces of the machine card inside"
                                                       : "nothing to exchange with";
  const Estimate exchanged = prediction.step_s;
  Estimate step = exchanged;
  std::optional<Estimate> prep;
  std::optional<Estimate> fetch;
  const Stalls& stalls = profile.steady_state ? profile.steady_state->stalls : profile.stalls;
  if (stalls.prep) {
    prep = Wait(profile.loader_limit_s, 1, step, *stalls.prep);
    step = Sum(step, *prep);
  }
  if (stalls.fetch) {
    const double read = profile.steady_state ? 1 - profile.steady_state->cached_share : 1;
    fetch = Wait(profile.fetch_limit_s, read, step, *stalls.fetch);
    step = Sum(step, *fetch);
  }
  const auto part = [&](const Estimate& seconds, const char* basis, const std::string& from) {
    return PredictedPart{seconds, seconds.mean / step.mean, basis, from};
  };
  document.step_time_s = step;
  const double samples =
      static_cast<double>(profile.workload.batch_per_device * profile.workload.accumulate) *
      document.devices();
  document.samples_per_s = {samples / step.mean, samples / step.high, samples / step.low};
  document.compute = part(prediction.compute_s, kBasisMeasured, prediction.basis);
  if (target.devices_per_node > 1 || target.nodes > 1) {
    document.interconnect =
        part(prediction.interconnect_s, kBasisScaled,
             target.law ? target.law_source + ", inside one machine"
                        : "the card's all-reduces inside one machine, as if all ranks sat in it");
  } else {
    document.absent.push_back({"interconnect", "one rank has nobody to wait for"});
  }
  if (target.nodes > 1) {
    document.network =
        part(prediction.network_s, kBasisScaled,
             target.wire && target.law
                 ? fmt::format("{}, of which gradients get {:.1f} %: {}", LinkText(card, target),
                               100 * target.law->wire_share, target.law_source)
             : target.wire ? LinkText(card, target) + ", of which TCP leaves 93.6 % to payload"
                           : "the card's all-reduces between machines");
  } else {
    document.absent.push_back({"network", "one machine"});
  }
  if (prep) {
    document.prep =
        part(*prep, kBasisMeasured, "the profile's, or what its loader alone needs beyond the step");
  } else {
    document.absent.push_back({"prep", "the profile was measured without data"});
  }
  if (fetch) {
    document.fetch =
        part(*fetch, kBasisMeasured, "the profile's, or what its disk alone needs beyond the step");
  } else {
    document.absent.push_back({"fetch", "the profile was measured without cold data"});
  }
  document.basis = document.interconnect ? kBasisScaled : kBasisMeasured;
  if (const auto& dataset = profile.workload.dataset; dataset && dataset->samples > 0) {
    document.epoch_time_s = Times(step, std::ceil(static_cast<double>(dataset->samples) / samples));
    document.absent.push_back({"cost", "your own machine has no price"});
  } else {
    document.absent.push_back({"epoch", "the profile was measured without data"});
  }
  if (profile.steady_state) document.cached_share = profile.steady_state->cached_share;
  document.assumed = prediction.assumed;
  return document;
}

Estimate StepTimeChange(const PredictedMachine& plain, const PredictedMachine& changed) {
  const auto own = [](const PredictedMachine& machine) {
    return machine.network ? machine.network->seconds : Estimate{};
  };
  const double mean = plain.step_time_s.mean;
  const double half = std::hypot(own(plain).HalfWidth(), own(changed).HalfWidth()) / mean;
  const double change = changed.step_time_s.mean / mean - 1;
  return {change, std::max(-1.0, change - half), change + half};
}

}  // namespace stallscope
