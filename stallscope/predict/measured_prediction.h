#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/document/machine_card.h"
#include "stallscope/document/profile.h"
#include "stallscope/predict/exchange_law.h"
#include "stallscope/predict/straggling.h"

namespace stallscope {

/// Where ranks that were measured apart shall meet.
struct LinkTarget {
  int nodes = 1;
  int devices_per_node = 2;
  /// Line rate of every machine's link, of which TCP over Ethernet carries kPayloadShare. Absent: the card's
  /// own all-reduces, inside the machine or, with several, between them.
  std::optional<BytesPerSecond> wire;
  /// Of the measured ranks (steps.csv beside the profile). Absent: they are taken to be alike.
  std::optional<Straggling> straggling;
  /// How ranks of the card's machine exchange gradients, fitted to a sweep there: takes the place of the
  /// card's all-reduces inside a machine and over `wire`, and of `straggling`.
  std::optional<ExchangeLaw> law;
  std::string law_source;  ///< where it comes from, for the basis
};

/// What a TCP stream gets of an Ethernet link while as much comes back on it: 1448 bytes of a full frame of
/// 1514 are payload (Ethernet 14, IP 20, TCP with its time stamps 32), and every second frame of the other
/// direction is acknowledged with 66 bytes.
inline constexpr double kPayloadShare = 1448.0 / (1514 + 66.0 / 2);

/// Seconds of a step.
struct MeasuredPrediction {
  Estimate step_s;
  Estimate compute_s;          ///< as measured
  Estimate interconnect_s;     ///< sharing a machine and reducing inside it
  Estimate network_s;          ///< zero on one machine
  double transfer_s = 0;       ///< of all buckets
  double exposed_s = 0;        ///< of the step, what exchanging gradients costs
  double processor_share = 0;  ///< of a transfer's time, what it takes from computing
  std::string basis;
  std::vector<std::string> assumed;
};

/// The step of a workload that was measured without communication (`crowd`, else `solo`) on processors whose
/// card has all-reduces between ranks of one machine, over any link: nothing that synchronises is measured.
/// Batch, network, buckets and dtype are the profile's. Throws Error that says what to measure where the
/// profile has neither rung, the card no fit, or the network is not of the zoo.
MeasuredPrediction PredictMeasured(const Profile& profile, const MachineCard& card, const LinkTarget& target);

}  // namespace stallscope
