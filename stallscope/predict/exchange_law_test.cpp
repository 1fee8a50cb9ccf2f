#include "stallscope/predict/exchange_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stallscope {
namespace {

using cost::GradientBucket;

/// Nothing costs anything but what a test turns on.
ExchangeLaw Free() {
  return {.message_s = 0,
          .tensor_s = 0,
          .processor_s_per_byte = 0,
          .copy_s_per_byte = 0,
          .wire_share = 1,
          .straggling_s = 0};
}

/// Two ranks that compute for 10, 20 and 5 ms.
ExchangeStep Step(std::vector<GradientBucket> buckets) {
  ExchangeStep step;
  step.compute = {Seconds(0.010), Seconds(0.020), Seconds(0.005)};
  step.buckets = std::move(buckets);
  step.tensors = 4;
  return step;
}

TEST(ExchangeLaw, CostsNothingWhereNothingCosts) {
  EXPECT_NEAR(StallUnder(Free(), Step({{0.5, {1e6}}, {1, {1e6}}})).count(), 0, 1e-12);
}

TEST(ExchangeLaw, TheWireHidesBehindTheBackwardPass) {
  ExchangeStep step = Step({{0.5, {1e6}}, {1, {1e6}}});
  step.wire = BytesPerSecond{1e8};
  // Two ranks send 2(n-1)/n = 1 payload each: 10 ms a bucket. The first is ready after 10 of 20 ms and
  // travels beside the rest; the second has only the wire left: 10 ms.
  EXPECT_NEAR(StallUnder(Free(), step).count(), 0.010, 1e-9);
  // With half the rate the first is still under way when the second is ready: 2 x 20 - 10.
  step.wire = BytesPerSecond{5e7};
  EXPECT_NEAR(StallUnder(Free(), step).count(), 0.030, 1e-9);
}

TEST(ExchangeLaw, MessagesCountPerAllReduceAndTensorsPerTensor) {
  ExchangeLaw law = Free();
  law.message_s = 0.001;
  // All ready at the end: 2(n-1) = 2 messages for each of three buckets.
  EXPECT_NEAR(StallUnder(law, Step({{1, {1}}, {1, {1}}, {1, {1}}})).count(), 0.006, 1e-9);
  law.message_s = 0;
  law.tensor_s = 0.001;
  EXPECT_NEAR(StallUnder(law, Step({{1, {1}}})).count(), 0.004, 1e-9);
}

TEST(ExchangeLaw, ProcessorTimeDoesNotHide) {
  ExchangeLaw law = Free();
  law.processor_s_per_byte = 1e-8;
  // 10 ms of processing while the backward pass has 15 ms left: it is done 10 ms later.
  EXPECT_NEAR(StallUnder(law, Step({{0.25, {1e6}}})).count(), 0.010, 1e-9);
}

TEST(ExchangeLaw, HandlingAndWireOfDifferentBucketsOverlapInPart) {
  ExchangeLaw law = Free();
  law.message_s = 0.001;
  ExchangeStep step = Step({{1, {1e6}}, {1, {0}}, {1, {0}}, {1, {0}}});
  step.wire = BytesPerSecond{1e8};
  // The wire needs 10 ms, the messages of four all-reduces 8 ms: 10 + 8 x 8 / (10 + 8) / 2.
  EXPECT_NEAR(StallUnder(law, step).count(), 0.010 + 0.064 / 18 / 2, 1e-9);
  // After a pause nothing is left to overlap with: the first bucket has arrived before the second is handed
  // over, and hides.
  step = Step({{0, {1e6}}, {1, {0}}});
  step.wire = BytesPerSecond{1e8};
  EXPECT_NEAR(StallUnder(law, step).count(), 0.002, 1e-9);
}

TEST(ExchangeLaw, AShapedLinkPassesItsBurstAfterAPause) {
  ExchangeStep step = Step({{1, {1e6}}});
  step.wire = BytesPerSecond{1e8};
  step.burst = Bytes{2e5};
  // 35 ms without traffic refill 2e5 bytes: 8e5 are left for the wire.
  EXPECT_NEAR(StallUnder(Free(), step).count(), 0.008, 1e-9);
}

TEST(ExchangeLaw, GradientsInTheCacheAreCopiedForNothing) {
  ExchangeLaw law = Free();
  law.copy_s_per_byte = 1e-9;
  ExchangeStep step = Step({{1, {3e6}}, {1, {1e6}}});
  // 4e6 bytes are gathered and scattered: 2 x 4 ms.
  EXPECT_NEAR(StallUnder(law, step).count(), 0.008, 1e-9);
  step.cached = Bytes{1e6};
  EXPECT_NEAR(StallUnder(law, step).count(), 0.006, 1e-9);
  step.cached = Bytes{5e6};
  EXPECT_NEAR(StallUnder(law, step).count(), 0, 1e-9);
}

TEST(ExchangeLaw, StragglingGrowsWithTheRootOfTime) {
  ExchangeLaw law = Free();
  law.straggling_s = 0.01;
  ExchangeStep step = Step({{1, {1e6}}});
  // 10 ms x 35 ms / sqrt(35 + 4 ms), a tick of the scheduler being 4 ms: 1.77 ms.
  EXPECT_NEAR(StallUnder(law, step).count(), 0.01 * 0.035 / std::sqrt(0.039), 1e-9);
  // In a step of many seconds the tick is nothing: 10 ms x sqrt(16).
  step.compute = {Seconds(0), Seconds(16), Seconds(0)};
  EXPECT_NEAR(StallUnder(law, step).count(), 0.04, 1e-5);
}

TEST(ExchangeLaw, PartsAddUpToTheStall) {
  const ExchangeLaw law;
  ExchangeStep step = Step({{0.3, {1e6}}, {0.6, {2e6}}, {1, {3e6}}});
  step.wire = BytesPerSecond{1e8};
  const ExchangeStall stall = StallParts(law, step);
  EXPECT_NEAR(stall.stall.count(), StallUnder(law, step).count(), 1e-12);
  EXPECT_NEAR((stall.wire + stall.calls + stall.processors + stall.stragglers).count(), stall.stall.count(),
              1e-12);
  EXPECT_GT(stall.wire.count(), 0);
  EXPECT_GT(stall.hidden.count(), 0);
}

TEST(ExchangeLaw, EveryCoefficientHasItsField) {
  ExchangeLaw law;
  for (const LawCoefficient& coefficient : LawCoefficients()) {
    EXPECT_GE(law.*coefficient.value, coefficient.least) << coefficient.name;
    EXPECT_GT(coefficient.scale, 0) << coefficient.name;
  }
}

}  // namespace
}  // namespace stallscope
