#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/machine_card.h"
#include "stallscope/predict/measured_prediction.h"

namespace stallscope {

/// What a machine card says of exchanging gradients between the ranks of a target. Refers to the card.
class CardLinks {
 public:
  /// `sharing`: ranks that share the memory of the card's machine. What the card leaves open is said in
  /// `assumed`; throws Error where it lacks the all-reduces that the target needs.
  CardLinks(const MachineCard& card, const LinkTarget& target, int sharing,
            std::vector<std::string>& assumed);

  int ranks() const { return ranks_; }
  /// Reading and writing a byte, of one rank while all copy.
  std::optional<double> copy_s_per_byte() const { return copy_s_per_byte_; }

  /// An all-reduce inside a machine, or as if all ranks sat in one: nothing but processors limits it there.
  double InsideSeconds(double bytes) const;
  /// Over the target's link. Sending, receiving and adding up a byte takes processors as long over a wire as
  /// inside a machine, but they wait for the wire in between.
  double TargetSeconds(double bytes) const;
  /// A few numbers from the first rank to all others, in a tree.
  double BroadcastSeconds() const;
  /// Relative, of the rate that limits; a wire's rate is given, not measured.
  double Deviation() const;

 private:
  const CollectiveCurve& Inside() const { return *(inside_ ? inside_ : across_); }

  LinkTarget target_;
  int ranks_;
  const CollectiveCurve* inside_ = nullptr;
  const CollectiveCurve* across_ = nullptr;
  std::optional<double> copy_s_per_byte_;
};

}  // namespace stallscope
