#include "stallscope/recommend/interruptions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// One job, interruption by interruption: a segment counts only when it and its checkpoint are through.
double SimulatedHours(const InterruptedJob& job, double every, Random& random) {
  double done = 0;
  double hours = 0;
  double left = -std::log(1 - random.Uniform()) / job.interruptions_h;
  while (done < job.work_h) {
    const double needed = std::min(every, job.work_h - done) + job.checkpoint_h;
    if (needed <= left) {
      hours += needed;
      left -= needed;
      done += every;
      continue;
    }
    hours += left;
    // Interruptions also hit restarts, which then begin anew.
    do {
      left = -std::log(1 - random.Uniform()) / job.interruptions_h;
      hours += std::min(left, job.restart_h);
    } while (left < job.restart_h);
    left -= job.restart_h;
  }
  return hours;
}

TEST(Interruptions, TheFirstTermIsYoungs) {
  // sqrt(2 x 0.01 h x 20 h) = 0.632 h; Daly's further terms change it by a per cent.
  const CheckpointPlan plan = PlanCheckpoints({100, 1 / 20.0, 0.01, 0.1});
  EXPECT_NEAR(plan.every_h, 0.632, 0.01);
}

TEST(Interruptions, TheExpectedTimeIsThatOfSimulatedJobs) {
  for (const double rate : {0.05, 0.4}) {
    const InterruptedJob job{40, rate, 0.02, 0.1};
    const CheckpointPlan plan = PlanCheckpoints(job);
    Random random(7);
    double sum = 0;
    double squares = 0;
    constexpr int kJobs = 4000;
    for (int i = 0; i < kJobs; ++i) {
      const double hours = SimulatedHours(job, plan.every_h, random);
      sum += hours;
      squares += hours * hours;
    }
    const double mean = sum / kJobs;
    const double deviation = std::sqrt(squares / kJobs - mean * mean);
    EXPECT_NEAR(plan.stretch * job.work_h, mean, 0.01 * mean) << rate;
    EXPECT_NEAR(plan.log_spread, deviation / mean, 0.3 * deviation / mean) << rate;
  }
}

TEST(Interruptions, DalysIntervalBeatsItsNeighbours) {
  const InterruptedJob job{40, 0.4, 0.02, 0.1};
  const double best = PlanCheckpoints(job).every_h;
  const auto expected = [&](double every) {
    const double mean_time = 1 / job.interruptions_h;
    return mean_time * std::exp(job.restart_h / mean_time) *
           std::expm1((every + job.checkpoint_h) / mean_time) / every;
  };
  EXPECT_LT(expected(best), expected(0.8 * best));
  EXPECT_LT(expected(best), expected(1.25 * best));
}

TEST(Interruptions, WithoutInterruptionsNothingIsAdded) {
  const CheckpointPlan plan = PlanCheckpoints({10, 0, 0.02, 0.1});
  EXPECT_EQ(plan.stretch, 1);
  EXPECT_EQ(plan.interruptions, 0);
}

}  // namespace
}  // namespace stallscope
