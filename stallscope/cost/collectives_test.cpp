#include "stallscope/cost/collectives.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

using namespace std::chrono_literals;

TEST(RingAllReduce, LargePayloadIsBoundByBandwidth) {
  const Link link{.latency = 0s, .bandwidth = {1e9}};
  // 4 ranks move 2*3/4 = 1.5 payloads each: 1.5 * 4 GB / (1 GB/s) = 6 s.
  EXPECT_DOUBLE_EQ(RingAllReduceTime({4e9}, 4, link).count(), 6.0);
}

TEST(RingAllReduce, EveryStepPaysTheLatency) {
  const Link link{.latency = 10us, .bandwidth = {1e9}};
  // 2*7 = 14 steps of 10 us, and 2*7/8 * 8 kB / (1 GB/s) = 14 us.
  EXPECT_NEAR(RingAllReduceTime({8e3}, 8, link).count(), 140e-6 + 14e-6, 1e-15);
}

TEST(RingAllReduce, IsReduceScatterThenAllGather) {
  const Link link{.latency = 5us, .bandwidth = {2e9}};
  // 3 steps of 5 us, and 3/4 * 4 MB / (2 GB/s) = 1.5 ms; twice for all-reduce.
  EXPECT_NEAR(RingReduceScatterTime({4e6}, 4, link).count(), 15e-6 + 1.5e-3, 1e-15);
  EXPECT_NEAR(RingAllGatherTime({4e6}, 4, link).count(), 15e-6 + 1.5e-3, 1e-15);
  EXPECT_NEAR(RingAllReduceTime({4e6}, 4, link).count(), 30e-6 + 3e-3, 1e-15);
}

TEST(ChainBroadcast, OnlyTheFirstPieceWaitsForEveryHop) {
  const Link link{.latency = 10us, .bandwidth = {1e9}};
  // 3 hops of 10 us + 0.1 MB / (1 GB/s) = 100 us; then 0.9 MB more: 330 us + 900 us.
  EXPECT_NEAR(ChainBroadcastTime({1e6}, 4, link, {1e5}).count(), 1230e-6, 1e-15);
  // A payload below the piece travels whole: 3 * (10 + 50) us.
  EXPECT_NEAR(ChainBroadcastTime({5e4}, 4, link, {1e5}).count(), 180e-6, 1e-15);
}

TEST(BinomialAllReduce, PaysTheWholePayloadAtEveryLevel) {
  const Link link{.latency = 10us, .bandwidth = {1e9}};
  // 5 ranks: 3 levels up and 3 down, each 10 us + 1 ms.
  EXPECT_NEAR(BinomialAllReduceTime({1e6}, 5, link).count(), 6 * 1010e-6, 1e-15);
}

TEST(TreeDepth, IsTheLogarithmRoundedUp) {
  EXPECT_EQ(TreeDepth(1), 0);
  EXPECT_EQ(TreeDepth(2), 1);
  EXPECT_EQ(TreeDepth(3), 2);
  EXPECT_EQ(TreeDepth(4), 2);
  EXPECT_EQ(TreeDepth(5), 3);
  EXPECT_EQ(TreeDepth(4096), 12);
}

TEST(DoubleTreeAllReduce, TheBusiestRankSendsTwoPayloads) {
  // An inner rank with two children sends half a payload up and two halves down; as a leaf of the other tree
  // it sends half a payload up: 0.5 + 1 + 0.5. Of three ranks an inner one has one child: 0.5 + 0.5 + 0.5. Of
  // two each is the root of one tree (0.5 down) and the leaf of the other (0.5 up).
  EXPECT_EQ(DoubleTreeLoad(1), 0);
  EXPECT_EQ(DoubleTreeLoad(2), 1);
  EXPECT_EQ(DoubleTreeLoad(3), 1.5);
  EXPECT_EQ(DoubleTreeLoad(4), 2);
  EXPECT_EQ(DoubleTreeLoad(1000), 2);
}

TEST(DoubleTreeAllReduce, LatencyGrowsWithDepthAndBytesWithTheLoad) {
  const Link link{.latency = 10us, .bandwidth = {1e9}};
  // 8 ranks, depth 3: 6 * 10 us; the first pieces of 0.1 MB pass 2 * (2*3-1) = 10 times 100 us; of the other
  // 10 - 0.2 = 9.8 MB two payloads leave the busiest rank: 19.6 ms.
  EXPECT_NEAR(DoubleTreeAllReduceTime({10e6}, 8, link, {1e5}).count(), 60e-6 + 1e-3 + 19.6e-3, 1e-12);
}

TEST(DoubleTreeAllReduce, BeatsTheRingForSmallPayloadsOnManyRanks) {
  const Link link{.latency = 25us, .bandwidth = {1.25e9}};
  EXPECT_LT(DoubleTreeAllReduceTime({4e3}, 64, link), RingAllReduceTime({4e3}, 64, link));
  // 2 payloads against 2*63/64: the ring wins for large ones.
  EXPECT_GT(DoubleTreeAllReduceTime({1e9}, 64, link), RingAllReduceTime({1e9}, 64, link));
}

TEST(Collectives, NoRankIsAnError) {
  const Link link{.latency = 0s, .bandwidth = {1e9}};
  EXPECT_THROW(RingAllReduceTime({1}, 0, link), Error);
  EXPECT_THROW(DoubleTreeAllReduceTime({1}, 0, link), Error);
  EXPECT_THROW(BinomialAllReduceTime({1}, -1, link), Error);
  EXPECT_THROW(ChainBroadcastTime({1}, 0, link), Error);
}

TEST(Network, FlowsLimitWhatTheInterfaceGives) {
  // 25 Gbit/s, 5 Gbit/s per flow: one flow has 0.625 GB/s, 2 pairs with 2 flows each 2.5 GB/s, 8 pairs all of
  // it.
  Network tcp{.interface = {.latency = 30us, .bandwidth = GigabitsPerSecond(25)},
              .flow_limit = GigabitsPerSecond(5)};
  EXPECT_DOUBLE_EQ(SharedBy(tcp, 1).bandwidth.value, 0.625e9);
  EXPECT_DOUBLE_EQ(SharedBy(tcp, 8).bandwidth.value, 3.125e9);
  tcp.flows_per_pair = 2;
  EXPECT_DOUBLE_EQ(SharedBy(tcp, 2).bandwidth.value, 2.5e9);
  EXPECT_EQ(SharedBy(tcp, 2).latency, Seconds(30us));
  const Network rdma{.interface = {.latency = 3us, .bandwidth = GigabitsPerSecond(25)}};
  EXPECT_DOUBLE_EQ(SharedBy(rdma, 1).bandwidth.value, 3.125e9);
}

}  // namespace
}  // namespace stallscope::cost
