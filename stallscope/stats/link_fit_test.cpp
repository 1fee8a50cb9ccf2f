#include "stallscope/stats/link_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

constexpr std::size_t kRounds = 8;

struct Ring {
  int ranks = 2;
  double latency_s = 1e-4;
  double bytes_per_s = 119.6e6;
  double noise = 0;  ///< of each time, as a share
  int sizes = 11;    ///< from 16 B, each four times the last
  std::uint64_t seed = 1;
};

/// 2(n-1) steps of two messages each, and 2(n-1)/n of the bytes over every link.
RingTimes TimesOf(const Ring& ring) {
  RingTimes times{.ranks = ring.ranks, .trips_per_step = 2, .bytes = {}, .times_s = {}};
  Random random(ring.seed);
  std::int64_t bytes = 16;
  for (int i = 0; i < ring.sizes; ++i, bytes *= 4) {
    const double steps = 2.0 * (ring.ranks - 1);
    const double time =
        steps * 2 * ring.latency_s + steps / ring.ranks * static_cast<double>(bytes) / ring.bytes_per_s;
    times.bytes.push_back(bytes);
    times.times_s.emplace_back();
    for (std::size_t round = 0; round < kRounds; ++round)
      times.times_s.back().push_back(time * (1 + ring.noise * random.Normal()));
  }
  return times;
}

LinkFit FitOf(const RingTimes& times, std::uint64_t seed = 1) {
  return FitLink(times, Bootstrap(kRounds, seed, 400)).value();
}

TEST(LinkFit, AnExactRingGivesItsLinkBack) {
  for (const int ranks : {2, 3, 8}) {
    const LinkFit fit = FitOf(TimesOf({.ranks = ranks, .latency_s = 3e-4, .bytes_per_s = 12e6}));
    EXPECT_NEAR(fit.latency_s.mean, 3e-4, 1e-9);
    ASSERT_TRUE(fit.bytes_per_s);
    EXPECT_NEAR(fit.bytes_per_s->mean, 12e6, 1);
    EXPECT_EQ(fit.trips_per_step, 2);
    ASSERT_EQ(fit.segments.size(), 1u);
    EXPECT_EQ(fit.segments[0].from_bytes, 16);
    EXPECT_FALSE(fit.segments[0].to_bytes);
    EXPECT_LT(fit.worst_error, 1e-9);
  }
}

TEST(LinkFit, TheIntervalsHoldTheTruthUnderNoise) {
  int latency = 0;
  int bandwidth = 0;
  constexpr int kTrials = 40;
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    const LinkFit fit = FitOf(TimesOf({.noise = 0.05, .seed = seed}), seed);
    EXPECT_NEAR(fit.latency_s.mean, 1e-4, 0.1e-4);
    EXPECT_NEAR(fit.bytes_per_s.value().mean, 119.6e6, 12e6);
    if (fit.latency_s.low <= 1e-4 && fit.latency_s.high >= 1e-4) ++latency;
    if (fit.bytes_per_s->low <= 119.6e6 && fit.bytes_per_s->high >= 119.6e6) ++bandwidth;
  }
  // 95 % of 40 are 38; fewer than 32 would be a chance of one in ten thousand.
  EXPECT_GE(latency, 32);
  EXPECT_GE(bandwidth, 32);
}

TEST(LinkFit, AddedDelayRaisesTheLatencyByItself) {
  const double before = FitOf(TimesOf({.latency_s = 40e-6, .noise = 0.02, .seed = 5})).latency_s.mean;
  const double after = FitOf(TimesOf({.latency_s = 40e-6 + 10e-3, .noise = 0.02, .seed = 6})).latency_s.mean;
  EXPECT_NEAR(after - before, 10e-3, 0.3e-3);
}

TEST(LinkFit, WhereTheCurveBendsTheLastSegmentIsTheLink) {
  RingTimes times = TimesOf({.latency_s = 50e-6, .bytes_per_s = 2e9, .sizes = 12});
  // From 1 MB on (the ninth size) three times slower: 2e9 / 3 bytes a second.
  for (std::size_t i = 8; i < times.bytes.size(); ++i) {
    for (double& time : times.times_s[i]) time *= 3;
  }
  const LinkFit fit = FitOf(times);
  ASSERT_EQ(fit.segments.size(), 2u);
  EXPECT_EQ(fit.segments[0].to_bytes, fit.segments[1].from_bytes);
  EXPECT_EQ(fit.segments[1].from_bytes, 1 << 20);
  EXPECT_NEAR(fit.latency_s.mean, 50e-6, 1e-6);
  EXPECT_NEAR(fit.bytes_per_s.value().mean, 2e9 / 3, 1e6);
  // 2(n-1)/n = 1 for two ranks, and 4 messages: 4 x 50 us + 64 KiB / 2e9 B/s.
  EXPECT_NEAR(FittedTime(fit, 2, 65536).value(), 200e-6 + 65536 / 2e9, 1e-7);
  EXPECT_FALSE(FittedTime(fit, 2, 8));
}

TEST(LinkFit, TimesThatDoNotGrowHaveNoBandwidth) {
  RingTimes times = TimesOf({.noise = 0.02, .sizes = 6});
  Random random(9);
  for (auto& size : times.times_s) {
    for (double& time : size) time = 4e-4 * (1 + 0.02 * random.Normal());
  }
  const LinkFit fit = FitOf(times);
  EXPECT_FALSE(fit.bytes_per_s);
  EXPECT_NEAR(fit.latency_s.mean, 1e-4, 3e-6);
}

TEST(LinkFit, DisturbedRoundsDoNotMoveIt) {
  RingTimes times = TimesOf({.noise = 0.01});
  // Three of eight rounds in which another process had the core.
  for (auto& size : times.times_s) {
    for (const std::size_t round : {1u, 4u, 6u}) size[round] *= 5;
  }
  const LinkFit fit = FitOf(times);
  EXPECT_NEAR(fit.latency_s.mean, 1e-4, 3e-6);
  EXPECT_NEAR(fit.bytes_per_s.value().mean, 119.6e6, 4e6);
}

TEST(LinkFit, SmallMessagesThatScatterDoNotBendTheBandwidth) {
  // As seen of Gloo on two cores: up to 256 KiB times scatter by half, above by a thousandth.
  Random random(21);
  for (int trial = 0; trial < 20; ++trial) {
    RingTimes times = TimesOf({.latency_s = 1e-4, .bytes_per_s = 59.8e6});
    for (std::size_t i = 0; i < times.bytes.size(); ++i) {
      const double noise = times.bytes[i] <= 262144 ? 0.5 : 0.001;
      for (double& time : times.times_s[i]) time *= 1 + noise * std::abs(random.Normal());
    }
    EXPECT_NEAR(FitOf(times).bytes_per_s.value().mean, 59.8e6, 0.03 * 59.8e6);
  }
}

TEST(LinkFit, MessagesThatAreMostlyLatencyKnowNoBandwidth) {
  // 20 ms away and up to 256 KiB: 4 x 20 ms, and 2 ms on the wire.
  const LinkFit fit = FitOf(TimesOf({.latency_s = 20e-3, .sizes = 8}));
  EXPECT_NEAR(fit.latency_s.mean, 20e-3, 1e-6);
  EXPECT_FALSE(fit.bytes_per_s);
  // Up to 64 MiB: 80 ms, and 561 ms on the wire.
  EXPECT_TRUE(FitOf(TimesOf({.latency_s = 20e-3, .sizes = 12})).bytes_per_s);
}

TEST(LinkFit, FewSizesGiveNone) {
  EXPECT_FALSE(FitLink(TimesOf({.sizes = 4}), Bootstrap(kRounds, 1, 100)));
}

TEST(Bandwidth, IsThatOfNcclTests) {
  // 1 GB in 0.5 s is 2 GB/s; with 8 ranks each link carried 2 x 7/8 of it: 3.5 GB/s.
  EXPECT_DOUBLE_EQ(AlgorithmBandwidth(1e9, 0.5), 2e9);
  EXPECT_DOUBLE_EQ(AllReduceBusBandwidth(1e9, 0.5, 8), 3.5e9);
  // Two ranks: the same.
  EXPECT_DOUBLE_EQ(AllReduceBusBandwidth(1e9, 0.5, 2), 2e9);
}

}  // namespace
}  // namespace stallscope
