#include "stallscope/recommend/job_time.h"

#include <cmath>

#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

/// Half of a 95 % interval in standard deviations.
const double kInterval = NormalQuantile(0.975);

}  // namespace

double IntervalsOf(double confidence) {
  return NormalQuantile(confidence) / kInterval;
}

double HoursAt(const JobTime& time, double intervals) {
  const Estimate& work = time.work_h;
  const double end = intervals >= 0 ? work.high / work.mean : work.mean / work.low;
  return time.setup_h + work.mean * std::pow(end, intervals);
}

double ProbabilityWithin(const JobTime& time, double hours) {
  const Estimate& work = time.work_h;
  const double left = hours - time.setup_h;
  if (left <= 0) return 0;
  const bool slower = left >= work.mean;
  const double spread = std::log(slower ? work.high / work.mean : work.mean / work.low);
  if (!(spread > 0)) return slower ? 1 : 0;
  return NormalBelow(kInterval * std::log(left / work.mean) / spread);
}

Estimate TotalHours(const JobTime& time) {
  return {time.setup_h + time.work_h.mean, time.setup_h + time.work_h.low, time.setup_h + time.work_h.high};
}

}  // namespace stallscope
