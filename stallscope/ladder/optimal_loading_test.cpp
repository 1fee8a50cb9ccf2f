#include "stallscope/ladder/optimal_loading.h"

#include <gtest/gtest.h>

#include "stallscope/ladder/profile_for_tests.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// 8 samples of 5 ms a step that takes 100 ms without data and 120 ms with data in memory.
Profile WithData() {
  Profile profile;
  profile.workload.batch_per_device = 8;
  profile.workload.dataset = DatasetInfo{.path = "/data", .kind = "images", .samples = 1000, .bytes = 1001};
  profile.conditions["node"].step_time_s = Exactly(0.1);
  profile.conditions["warm"].step_time_s = Exactly(0.12);
  profile.loader = LoaderInfo{.read_s = 0.001, .decode_s = 0.004, .bytes = 85000};
  profile.loader_limit_s = Exactly(0.04);
  profile.fetch_limit_s = Exactly(0.16);
  return profile;
}

TEST(OptimalLoading, WithoutDataThereIsNothingToSay) {
  Profile profile;
  profile.conditions["node"].step_time_s = Exactly(0.1);
  EXPECT_FALSE(OptimalLoadingFor(profile));
}

TEST(OptimalLoading, WorkersAreTheFewestThatKeepUpWithTheStep) {
  Profile profile = WithData();
  // 8 * 5 ms = 40 ms fit into 100 ms.
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 1);
  // 8 * 5 * 5 ms = 200 ms over 2 workers are 100 ms, which just fits.
  profile.workload.accumulate = 5;
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 2);
  // 8 * 5 * 5.1 ms = 204 ms: 102 ms with 2 workers, 68 ms with 3.
  profile.loader->decode_s = 0.0041;
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 3);
}

TEST(OptimalLoading, TheLoaderKeepsUpWithTheRungBelowWarm) {
  Profile profile = WithData();
  profile.workload.accumulate = 5;
  // 200 ms of work: a step over the network takes 200 ms, one alone takes 50 ms.
  profile.conditions["cluster"].step_time_s = Exactly(0.2);
  profile.conditions["solo"].step_time_s = Exactly(0.05);
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 1);
  profile.conditions.erase("cluster");
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 2);
  profile.conditions.erase("node");
  EXPECT_EQ(OptimalLoadingFor(profile)->workers_per_device, 4);
  profile.conditions.erase("solo");
  EXPECT_FALSE(OptimalLoadingFor(profile)->workers_per_device);
}

TEST(OptimalLoading, TheCacheHoldsWhatTheStorageCannotDeliverInTime) {
  const Profile profile = WithData();
  // A warm step leaves 120 - 40 = 80 ms to the storage, half of the 160 ms that all files take.
  EXPECT_NEAR(*OptimalLoadingFor(profile)->cached_share, 0.5, 1e-12);
  EXPECT_EQ(OptimalLoadingFor(profile)->cache_bytes, 501);  // half of 1001 bytes, rounded up
}

TEST(OptimalLoading, FastStorageNeedsNoCache) {
  Profile profile = WithData();
  profile.fetch_limit_s = Exactly(0.07);
  EXPECT_EQ(OptimalLoadingFor(profile)->cached_share, 0);
  EXPECT_EQ(OptimalLoadingFor(profile)->cache_bytes, 0);
}

TEST(OptimalLoading, BesideALoaderThatIsTooSlowAlreadyEveryMissHurts) {
  Profile profile = WithData();
  profile.loader_limit_s = Exactly(0.13);
  EXPECT_EQ(OptimalLoadingFor(profile)->cached_share, 1);
  EXPECT_EQ(OptimalLoadingFor(profile)->cache_bytes, 1001);
}

TEST(OptimalLoading, WhatWasNotMeasuredLeavesItsNumberOut) {
  Profile profile = WithData();
  profile.fetch_limit_s.reset();
  EXPECT_TRUE(OptimalLoadingFor(profile)->workers_per_device);
  EXPECT_FALSE(OptimalLoadingFor(profile)->cached_share);
  EXPECT_FALSE(OptimalLoadingFor(profile)->cache_bytes);
  profile = WithData();
  profile.loader.reset();
  EXPECT_FALSE(OptimalLoadingFor(profile)->workers_per_device);
  EXPECT_TRUE(OptimalLoadingFor(profile)->cached_share);
  profile.conditions.erase("warm");
  EXPECT_FALSE(OptimalLoadingFor(profile));
}

Profile RandomProfile(Random& random) {
  Profile profile = WithData();
  profile.workload.batch_per_device = 1 + static_cast<std::int64_t>(random.Below(64));
  profile.loader = LoaderInfo{.read_s = 0.001 * random.Uniform(), .decode_s = 0.01 * random.Uniform()};
  profile.conditions["node"].step_time_s = Exactly(0.001 + 0.2 * random.Uniform());
  profile.conditions["warm"].step_time_s = Exactly(0.001 + 0.2 * random.Uniform());
  profile.loader_limit_s = Exactly(0.2 * random.Uniform());
  profile.fetch_limit_s = Exactly(0.4 * random.Uniform());
  return profile;
}

TEST(OptimalLoading, TheNumbersSufficeAndSmallerOnesWouldNot) {
  Random random(1);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Profile profile = RandomProfile(random);
    const OptimalLoading optimal = *OptimalLoadingFor(profile);
    const double work_s = *OneWorkersTime(profile);
    const double step_s = *StepWithoutLoading(profile);
    const int workers = *optimal.workers_per_device;
    EXPECT_LE(work_s / workers, step_s);
    if (workers > 1) {
      EXPECT_GT(work_s / (workers - 1), step_s);
    }

    const double share = *optimal.cached_share;
    const double warm_s = profile.conditions.at("warm").step_time_s.mean;
    const auto load_s = [&](double cached) {
      return (1 - cached) * profile.fetch_limit_s->mean + profile.loader_limit_s->mean;
    };
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    if (profile.loader_limit_s->mean <= warm_s) {
      EXPECT_LE(load_s(share), warm_s + 1e-12);
    }
    if (share > 1e-6) {
      EXPECT_GT(load_s(share - 1e-6), warm_s);
    }
  }
}

TEST(OptimalLoading, WorseHardwareNeverNeedsLess) {
  Random random(2);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Profile profile = RandomProfile(random);
    const OptimalLoading before = *OptimalLoadingFor(profile);
    const double factor = 1 + random.Uniform();

    Profile slower_storage = profile;
    slower_storage.fetch_limit_s = Exactly(profile.fetch_limit_s->mean * factor);
    EXPECT_GE(*OptimalLoadingFor(slower_storage)->cached_share, *before.cached_share);
    EXPECT_GE(*OptimalLoadingFor(slower_storage)->cache_bytes, *before.cache_bytes);

    Profile slower_loader = profile;
    slower_loader.loader_limit_s = Exactly(profile.loader_limit_s->mean * factor);
    slower_loader.loader->decode_s *= factor;
    EXPECT_GE(*OptimalLoadingFor(slower_loader)->cached_share, *before.cached_share);
    EXPECT_GE(*OptimalLoadingFor(slower_loader)->workers_per_device, *before.workers_per_device);

    Profile slower_training = profile;
    for (auto& [name, rung] : slower_training.conditions) rung.step_time_s.mean *= factor;
    EXPECT_LE(*OptimalLoadingFor(slower_training)->cached_share, *before.cached_share);
    EXPECT_LE(*OptimalLoadingFor(slower_training)->workers_per_device, *before.workers_per_device);
  }
}

}  // namespace
}  // namespace stallscope
