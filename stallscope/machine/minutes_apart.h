#pragma once

namespace stallscope {

/// By how much a figure of a rented machine differs from that of another minute, beyond what the rounds of
/// one minute show: standard deviations, as shares. Neighbours on the host come and go, and the host moves
/// virtual processors; a probe sees one such state and cannot know of the others. Each is the mean over the
/// quantities of its kind, of ten probes in a row (bench/README.md has them).
struct MinutesApart {
  double processor = 0.01;
  double memory = 0.05;
  double disk = 0.02;
  /// Between ranks of one machine. What a link between machines does is seen by the probe itself.
  double exchange = 0.05;
};
inline constexpr MinutesApart kMinutesApart;

}  // namespace stallscope
