#include "stallscope/probe/watch.h"

#include "stallscope/stats/series.h"

namespace stallscope {

WatchResult WatchOf(const ProbeRounds& rounds) {
  WatchResult watch{.duration_s = rounds.times_s.back() - rounds.times_s.front()};
  for (std::size_t i = 0; i < rounds.names.size(); ++i) {
    const std::vector<double>& values = rounds.values[i];
    watch.drifts.push_back({.quantity = rounds.names[i], .change = RelativeTrend(rounds.times_s, values)});
    const Median median = MedianOf(values);
    for (std::size_t round = 0; round < values.size(); ++round) {
      if (!IsOutlier(values[round], median)) continue;
      watch.outliers.push_back({.quantity = rounds.names[i],
                                .at_s = rounds.times_s[round],
                                .value = values[round],
                                .median = median.value});
    }
  }
  return watch;
}

}  // namespace stallscope
