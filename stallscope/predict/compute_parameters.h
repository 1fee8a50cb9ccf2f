#pragma once

#include <array>
#include <string>

#include "stallscope/predict/roofline.h"

namespace stallscope {

/// How far rates lie from the roofline, by what they share: standard deviations of the logarithm.
enum class ResidualSpread : std::size_t {
  kStack,         ///< the same framework, fusion, layout and time
  kFramework,     ///< the same framework
  kNetwork,       ///< the same network
  kChip,          ///< the same GPU
  kArchitecture,  ///< the same generation of GPUs
  kSource,        ///< the same publisher
  kNoise,         ///< a rate alone
  kCount,
};
constexpr std::size_t kSpreads = static_cast<std::size_t>(ResidualSpread::kCount);
const char* SpreadName(ResidualSpread spread);
using Spreads = std::array<double, kSpreads>;

/// Everything that is fitted, few and physical; docs/models.md lists the shipped values with their intervals.
struct ComputeParameters {
  RooflineLogs logs = PriorLogs();
  /// Standard errors of `logs`.
  RooflineLogs log_errors{};
  Spreads spreads{};

  /// What ships with the program: data/predict/compute_parameters.csv.
  static ComputeParameters Shipped();
  static ComputeParameters Parse(const std::string& csv, const std::string& name);
  /// In the format of data/predict/compute_parameters.csv: name, value, low, high (95 %).
  std::string ToCsv() const;
};

/// Before any rate was seen.
Spreads UnfittedSpreads();

}  // namespace stallscope
