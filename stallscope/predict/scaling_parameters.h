#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace stallscope {

/// The quantities that the scaling model has from measurements; docs/models.md derives each.
enum class Parameter : std::size_t {
  kNvlinkEfficiency,
  kPcieEfficiency,
  kHostStagingRate,
  kSecondSocketShare,
  kRdmaEfficiency,
  kTcpRate,
  kInterferenceInside,
  kInterferenceAcross,
  kSyncOverhead,
  kJitter,
  kRealDataJitter,
  kPreparedPerCpu,
  kPackingRate,
  // From here on: never fitted, spread alone. What a row does not say, and what stacks differ by.
  kStackSpread,
  kUnknownLink,
  kUnknownTransport,
  kUnknownBandwidth,
  kUnknownBatch,
};

inline constexpr std::size_t kParameters = 18;
inline constexpr std::size_t kFittedParameters = 13;

/// In the space in which they are fitted: logarithms, or logits of shares.
using ParameterValues = std::array<double, kParameters>;

inline double At(const ParameterValues& values, Parameter parameter) {
  return values[static_cast<std::size_t>(parameter)];
}

enum class FitSpace { kLogarithm, kLogit };

struct ParameterFacts {
  std::string_view name;
  std::string_view unit;
  FitSpace space;
  double prior;   ///< in its unit: what physics and microbenchmarks say before any training step is seen
  double spread;  ///< standard deviation between systems, in fit space
  std::string_view source;
};

const std::array<ParameterFacts, kParameters>& AllParameters();

/// From fit space to the unit, and back.
double ToUnit(const ParameterFacts& facts, double value);
double ToFitSpace(const ParameterFacts& facts, double value);

/// The same in their units: what formulas multiply by. Apart, because a step needs hardly more arithmetic
/// than the exponentials that these cost.
struct UnitValues {
  std::array<double, kParameters> values;
  double operator[](Parameter parameter) const { return values[static_cast<std::size_t>(parameter)]; }
};
UnitValues ToUnits(const ParameterValues& values);

ParameterValues PriorValues();
ParameterValues PriorSpreads();

/// What a fit gives. The standard errors are in fit space.
struct ScalingParameters {
  ParameterValues values{};
  ParameterValues errors{};
  /// Multiplies the propagated spread into a 95 % interval; at least 1.96.
  double interval_factor = 1.96;
  std::size_t rows = 0;  ///< fitted on
};

struct ValueAndError {
  double value;
  double error;
};

/// The fitted ones as given, the others at their priors.
ScalingParameters MakeParameters(const std::array<ValueAndError, kFittedParameters>& fitted,
                                 double interval_factor, std::size_t rows);

/// Fitted on the published tables (docs/models.md says which and when).
const ScalingParameters& ShippedParameters();

}  // namespace stallscope
