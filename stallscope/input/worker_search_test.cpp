#include "stallscope/input/worker_search.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

/// A step of 100 ms, and batches that take so long on one worker: n workers deliver every batch_s / n.
WorkerChoice Search(double batch_s, int most) {
  return FindWorkers(most, Seconds(0.1), [=](int workers) { return std::max(0.0, batch_s / workers - 0.1); });
}

TEST(FindWorkers, TheFewestThatHidePreparation) {
  EXPECT_EQ(Search(0.05, 16).workers, 1);
  EXPECT_EQ(Search(0.19, 16).workers, 2);
  EXPECT_EQ(Search(0.49, 16).workers, 5);
  EXPECT_EQ(Search(1.29, 16).workers, 13);
}

TEST(FindWorkers, AgreesWithTryingThemAll) {
  for (int tenths = 1; tenths < 160; ++tenths) {
    const double batch_s = 0.01 * tenths + 0.001;
    int expected = 1;
    while (batch_s / expected - 0.1 > kHiddenWait * 0.1) ++expected;
    EXPECT_EQ(Search(batch_s, 32).workers, expected) << batch_s;
  }
}

TEST(FindWorkers, SaysWhereEvenAllDoNotKeepUp) {
  const WorkerChoice choice = Search(10, 6);
  EXPECT_FALSE(choice.workers);
  EXPECT_EQ(choice.trials.back().workers, 6);
}

}  // namespace
}  // namespace stallscope
