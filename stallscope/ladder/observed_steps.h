#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stallscope/document/observation.h"

namespace stallscope {

/// The parts of one observed step of one rank, in seconds, in the order of the hook's file.
struct ObservedStep {
  std::int64_t number = 0;
  double end_s = 0;
  double data_wait_s = 0;
  double copy_s = 0;
  double forward_s = 0;
  double backward_s = 0;
  double exposed_communication_s = 0;
  double optimizer_s = 0;
  double total_s = 0;
  double hook_s = 0;  ///< the hook's own calls, which the other parts contain
};

/// One line of the hook's file; nothing for its header and for lines that were cut off.
std::optional<ObservedStep> ParseObservedStep(const std::string& line);

/// Sums up the steps of all ranks as they come, in windows of consecutive steps whose number stays bounded,
/// so that a run of a week takes no more memory than one of a minute. Intervals are over windows.
class ObservedSteps {
 public:
  explicit ObservedSteps(int ranks) : ranks_(ranks) {}

  void Add(int rank, const ObservedStep& step);

  /// Steps, times and parts of what has been seen by every rank.
  void Fill(Observation& observation) const;

  /// Steps that some rank has not made yet: the bound of the memory.
  std::size_t pending() const { return pending_.size(); }
  std::size_t windows() const { return windows_.size(); }

 private:
  enum Part { kDataWait, kCopy, kForward, kBackward, kExposed, kSkew, kOptimizer, kHook, kTotal, kParts };
  using Sums = std::array<double, kParts>;

  struct Pending {
    int ranks = 0;
    Sums sums{};
    double least_exposed_s = 0;
  };
  struct Window {
    std::int64_t steps = 0;
    Sums sums{};
  };

  void Close(const Pending& step);
  void HalveWindows();

  int ranks_;
  std::map<std::int64_t, Pending> pending_;
  std::vector<Window> windows_;
  std::int64_t steps_per_window_ = 1;
  std::int64_t steps_ = 0;
  double first_s_ = 0;
  double last_s_ = 0;
};

}  // namespace stallscope
