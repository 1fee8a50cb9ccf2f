#pragma once

#include <optional>
#include <string>

namespace stallscope {

/// How much longer the slowest rank of a step takes than the ranks' mean, while nothing is exchanged: what
/// ranks that wait for each other lose.
struct Straggling {
  double share = 0;  ///< of the mean
  int ranks = 2;
};

/// From a profile's steps.csv (docs/formats.md): the mean over counted, undisturbed steps of `crowd`. Nothing
/// where it has no such steps of several ranks. Throws Error where `text` is no such table.
std::optional<Straggling> StragglingOf(const std::string& text, const std::string& file);

/// The same for another number of ranks whose times scatter alike: in proportion to the expected maximum.
double StragglingAmong(const Straggling& measured, int ranks);

}  // namespace stallscope
