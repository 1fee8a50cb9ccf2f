#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/cost/step.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// How ranks on processors exchange gradients: effective coefficients, fitted to a sweep (docs/models.md).
struct ExchangeLaw {
  /// Of each of an all-reduce's 2(n-1) messages: waking threads, calling the kernel, waiting for the other
  /// rank. One after the other, but hardly slowing the backward pass.
  double message_s = 300e-6;
  /// What the processor does for every gradient tensor, whatever bucket it travels in.
  double tensor_s = 10e-6;
  /// Processor time of a byte that a rank sends and receives and adds up, while it travels.
  double processor_s_per_byte = 1.5e-9;
  /// What a gradient's byte costs the rank twice beside that: gathered into its bucket before it travels, and
  /// once all have arrived scattered again. What the core's own cache holds costs nothing.
  double copy_s_per_byte = 0.4e-9;
  /// Of a link's line rate, what gradients get.
  double wire_share = 0.93;
  /// The slowest rank of a step counts, and caches are colder beside an exchange: so much longer takes a step
  /// that computes for a second, and with the root of that time another.
  double straggling_s = 0.02;
};

inline constexpr std::size_t kLawCoefficients = 6;

/// What is known of a coefficient before anything was measured.
struct LawCoefficient {
  const char* name;
  const char* unit;
  const char* meaning;
  double ExchangeLaw::*value;
  double scale;  ///< the size in which it varies
  double least;  ///< below it means nothing
};
const std::array<LawCoefficient, kLawCoefficients>& LawCoefficients();

/// A step that exchanges gradients, as the law sees it.
struct ExchangeStep {
  cost::StepCompute compute;                  ///< measured without synchronisation
  std::vector<cost::GradientBucket> buckets;  ///< in the order of their readiness
  int tensors = 0;                            ///< gradients, in all buckets
  bool broadcasts = false;                    ///< running statistics are sent before the forward pass
  int ranks = 2;
  std::optional<BytesPerSecond> wire;  ///< line rate; nothing: processors alone limit the exchange
  /// A token bucket passes so much at once after a pause (emulated links).
  Bytes burst;
  /// So much of the gradients stays in the cache of the rank's core, where that is known.
  Bytes cached;
};

/// What a stall consists of. Parts but `hidden` add up to the stall.
struct ExchangeStall {
  Seconds stall{};
  Seconds wire{};
  Seconds calls{};
  Seconds processors{};
  Seconds stragglers{};  ///< with all else that makes computing slower beside an exchange
  Seconds hidden{};      ///< of the transfers, behind the backward pass
};

/// The step's time under the law, less its compute time.
Seconds StallUnder(const ExchangeLaw& law, const ExchangeStep& step);
/// The same with its parts: what each would take away if it were free, one after the other.
ExchangeStall StallParts(const ExchangeLaw& law, const ExchangeStep& step);

/// Buckets of a network as the engine makes them, with the share of the measured backward pass after which
/// each is ready. `memory` is the rate of one rank while all compute.
std::vector<cost::GradientBucket> EngineBuckets(const Network& network, const std::string& bucket,
                                                double batch, Seconds backward, BytesPerSecond memory);

}  // namespace stallscope
