#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/document/profile.h"
#include "stallscope/network/network.h"

namespace stallscope {

/// What joins the ranks of a sweep.
struct SweepLink {
  std::string name = "unshaped";       ///< as the user writes it: "unshaped" or "200Mbit"
  std::optional<BytesPerSecond> rate;  ///< nothing: as fast as this machine can
};

/// "unshaped" or a rate. Throws UsageError that names --links.
SweepLink ParseSweepLink(const std::string& text);

/// A network and what it is fed: what a sweep calls one network.
struct SweepNetwork {
  std::string spec;    ///< "resnet18:norm=none"
  std::string family;  ///< "layers", "bytes", "resnet", "vgg" or "other"
  int batch = 8;
  std::optional<int> image_size;
  std::optional<int> sequence_length;
  std::optional<int> classes;

  bool operator==(const SweepNetwork&) const = default;
};

NetworkOptions OptionsOf(const SweepNetwork& network);

/// One launch: a network whose gradients travel in one kind of buckets between so many ranks, over one link
/// after the other.
struct SweepCell {
  SweepNetwork network;
  std::string bucket;  ///< as --bucket takes it
  int ranks = 2;
  std::vector<SweepLink> links;

  /// Whether both are the same launch, whatever their links.
  bool SameLaunch(const SweepCell& other) const {
    return network == other.network && bucket == other.bucket && ranks == other.ranks;
  }
};

/// One block of a round: steps that counted in no mean (`settling`) come first in `steps_s`.
struct SweepBlock {
  double step_s = 0;  ///< mean over ranks and counted steps
  StepParts parts;
  std::optional<CommunicationInfo> communication;  ///< nothing without synchronisation
  /// Mean over counted steps of the slowest rank's time; ranks that synchronise agree.
  double slowest_s = 0;
  int settling = 0;
  std::vector<double> steps_s;      ///< every step, mean over ranks
  std::vector<BucketInfo> buckets;  ///< only in a launch's first round
  bool polluted = false;            ///< other processes disturbed it; known without synchronisation only
};

/// Blocks that followed each other: one without synchronisation, and one over each link that took part.
struct SweepRound {
  int index = 0;
  SweepBlock crowd;
  std::map<std::string, SweepBlock> links;  ///< by SweepLink::name
};

}  // namespace stallscope
