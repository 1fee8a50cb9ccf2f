#include "stallscope/cost/input_pipeline.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

using std::chrono_literals::operator""s;

TEST(InputPipeline, AFastLoaderCostsNothing) {
  // 2 workers deliver a batch every 0.8 / 2 = 0.4 s, storage every 0.1 s.
  EXPECT_NEAR(SteadyStep(1s, {.fetch = 0.1s, .prepare = 0.7s, .workers = 2}).count(), 1.0, 1e-9);
}

TEST(InputPipeline, WorkersBoundTheStepTogether) {
  // 3 s of work per batch on 2 workers: 1.5 s.
  EXPECT_NEAR(SteadyStep(1s, {.prepare = 3s, .workers = 2}).count(), 1.5, 1e-9);
}

TEST(InputPipeline, AWorkerWaitsForItsOwnFetch) {
  // One worker: 0.5 + 1 s per batch.
  EXPECT_NEAR(SteadyStep(1s, {.fetch = 0.5s, .prepare = 1s, .workers = 1}).count(), 1.5, 1e-9);
}

TEST(InputPipeline, StorageBoundsTheStepHoweverManyWorkersThereAre) {
  EXPECT_NEAR(SteadyStep(1s, {.fetch = 2s, .prepare = 1s, .workers = 64}).count(), 2.0, 1e-9);
}

TEST(InputPipeline, ACopyIsHiddenUnlessTheDeviceWaitsForIt) {
  EXPECT_NEAR(SteadyStep(1s, {.copy = 0.25s}).count(), 1.0, 1e-9);
  EXPECT_NEAR(SteadyStep(1s, {.copy = 0.25s, .copy_beside_compute = false}).count(), 1.25, 1e-9);
}

TEST(InputPipeline, NoWorkerIsAnError) {
  EXPECT_THROW(SteadyStep(1s, {.workers = 0}), Error);
  EXPECT_THROW(SteadyStep(1s, {.queue = 0}), Error);
  EXPECT_THROW(SteadyStep(1s, {.workers = kMostBatchesInFlight}), Error);
}

}  // namespace
}  // namespace stallscope::cost
