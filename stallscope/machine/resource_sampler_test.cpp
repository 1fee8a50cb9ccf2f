#include "stallscope/machine/resource_sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "stallscope/base/clock.h"

namespace stallscope {
namespace {

constexpr const char* kNoGpu = "libno-such-library.so.1";

Root Recorded(const std::string& name) {
  return {std::filesystem::path(__FILE__).parent_path() / "../../tests/roots" / name};
}

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

/// How often the sampler's thread has gone to sleep so far; nothing where there is no such thread.
std::optional<int> SleepsOfThread() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const Root folder{task.path()};
    if (ReadText(folder, "comm") != "resources\n") continue;
    const std::string status = ReadText(folder, "status").value_or("");
    constexpr std::string_view kField = "\nvoluntary_ctxt_switches:";
    const std::size_t at = status.find(kField);
    if (at != std::string::npos) return std::stoi(status.substr(at + kField.size()));
  }
  return std::nullopt;
}

TEST(ResourceSampler, ABlockHasASampleAtItsBeginAndOneAtItsEnd) {
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  const double before_s = MonotonicSeconds();
  sampler.Begin(3600);
  const double middle_s = MonotonicSeconds();
  const std::vector<ResourceSample> samples = sampler.End();
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_LE(before_s, samples[0].time_s);
  EXPECT_LE(samples[0].time_s, middle_s);
  EXPECT_LE(middle_s, samples[1].time_s);
  EXPECT_DOUBLE_EQ(*samples[1].cpu_busy_s, 98.39);
  EXPECT_FALSE(samples[1].gpu_busy_share);
}

TEST(ResourceSampler, SamplesInBetweenAreNeverEarlyAndDoNotPileUp) {
  constexpr double kEvery = 0.005;
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  std::vector<ResourceSample> samples;
  // A machine that is very busy may not let the thread run at first.
  for (double length_s = 0.05; samples.size() < 5 && length_s < 30; length_s *= 2) {
    sampler.Begin(kEvery);
    Sleep(length_s);
    samples = sampler.End();
  }
  const double begin_s = samples.front().time_s;
  // However busy the machine is: at most one for each multiple of the period that has passed, and both ends.
  const double periods = std::floor((samples.back().time_s - begin_s) / kEvery);
  EXPECT_GE(samples.size(), 5U);
  EXPECT_LE(samples.size(), periods + 2);
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    EXPECT_GT(samples[i].time_s, samples[i - 1].time_s);
    EXPECT_GE(samples[i].time_s, begin_s + static_cast<double>(i) * kEvery - 1e-6);
  }
}

TEST(ResourceSampler, EveryBlockStartsAnew) {
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  for (int block = 0; block < 200; ++block) {
    sampler.Begin(3600);
    EXPECT_EQ(sampler.End().size(), 2U);
  }
  EXPECT_TRUE(sampler.End().empty());
}

TEST(ResourceSampler, WithoutAPeriodNothingIsSampledAndNoThreadStarted) {
  // The kernel may still be burying the thread of the test before.
  for (int tries = 0; tries < 100 && SleepsOfThread(); ++tries) Sleep(0.01);
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  EXPECT_TRUE(sampler.End().empty());
  sampler.Begin(0);
  EXPECT_FALSE(SleepsOfThread());
  EXPECT_TRUE(sampler.End().empty());
}

TEST(ResourceSampler, TheThreadRestsBetweenBlocks) {
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  sampler.Begin(0.001);
  Sleep(0.01);
  sampler.End();
  // A busy machine may let it fall asleep late, so it has some tries; a thread with a timer of 1 ms would
  // have woken up in every one of them.
  bool rests = false;
  for (int tries = 0; tries < 50 && !rests; ++tries) {
    const std::optional<int> before = SleepsOfThread();
    ASSERT_TRUE(before);
    Sleep(0.05);
    rests = SleepsOfThread() == before;
  }
  EXPECT_TRUE(rests);
}

TEST(ResourceSampler, ABlockThatNeverEndsDoesNotHoldUpTheProgram) {
  ResourceSampler sampler(Recorded("workstation"), kNoGpu);
  sampler.Begin(3600);
}

TEST(ResourceSampler, GpusAreAskedInEverySample) {
  ResourceSampler sampler(Recorded("workstation"), FAKE_NVML);
  sampler.Begin(3600);
  for (const ResourceSample& sample : sampler.End()) {
    EXPECT_DOUBLE_EQ(sample.gpu_busy_share.value(), 0.65);
    EXPECT_EQ(sample.gpu_memory_bytes, 8e9);
  }
}

}  // namespace
}  // namespace stallscope
