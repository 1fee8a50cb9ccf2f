#include "stallscope/probe/local_probes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "stallscope/base/error.h"
#include "stallscope/probe/crew.h"
#include "stallscope/probe/request_queue.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

TEST(Crew, EveryWorkerRunsOnceAndItsFailureIsThrown) {
  const std::vector<int> cpus(3, AllowedCpus().front());
  std::vector<int> done(3);
  EXPECT_GE(RunOnCores(cpus, [&](std::size_t i) { ++done[i]; }), 0);
  EXPECT_EQ(done, (std::vector<int>{1, 1, 1}));
  EXPECT_THROW(RunOnCores(cpus,
                          [](std::size_t i) {
                            if (i == 1) throw Error("no", "yes");
                          }),
               Error);
}

TEST(Triad, ArraysAreFourTimesTheCacheAndNeverTiny) {
  TopologyFacts topology;
  EXPECT_EQ(TriadSizesFor(topology).all_cores, kSmallestArray);
  topology.caches = {{.level = 3, .type = "unified", .bytes = 36 << 20, .count = 2, .threads = 6}};
  EXPECT_EQ(TriadSizesFor(topology).one_core, 4 * (36 << 20));
  EXPECT_EQ(TriadSizesFor(topology).all_cores, 8 * (36 << 20));
}

TEST(Triad, APassGivesARateOnOneCoreAndOnAll) {
  Triad triad({.one_core = 1 << 20, .all_cores = 4 << 20}, AllowedCpus());
  EXPECT_GT(triad.OneCore(AllowedCpus().front()), 0);
  EXPECT_GT(triad.AllCores(), 0);
}

TEST(DecodeRate, ImagesHaveTheSizeOfPhotographsAndAreDecoded) {
  const DecodeRate decode;
  EXPECT_GT(decode.mean_bytes(), 10e3);
  EXPECT_GT(decode.Measure({AllowedCpus().front()}, 0), 0);
}

TEST(DiskFile, IsATenthOfWhatIsFreeAtMostAGibibyte) {
  EXPECT_EQ(DiskFileSize(std::int64_t{100} << 30), kLargestDiskFile);
  EXPECT_EQ(DiskFileSize(std::int64_t{1000} << 20), std::int64_t{100} << 20);
  EXPECT_FALSE(DiskFileSize(std::int64_t{600} << 20));
}

TEST(DiskFile, ATooSmallOneIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "small") << "text";
  EXPECT_THROW(DiskFile(folder.path() / "small", nullptr, [] { return true; }), Error);
}

TEST(DiskRequests, SequentialOnesAreNeighboursFromARandomPlace) {
  Random random(2);
  const auto offsets = RequestOffsets({.random = false, .request_bytes = 100, .depth = 1}, 1050, random);
  ASSERT_EQ(offsets.size(), 10U);  // the last 50 bytes are no whole request
  for (std::size_t i = 1; i < offsets.size(); ++i) EXPECT_EQ(offsets[i], (offsets[i - 1] + 100) % 1000);
}

TEST(DiskRequests, RandomOnesCoverTheFileOnce) {
  Random random(2);
  const auto offsets = RequestOffsets({.random = true, .request_bytes = 100, .depth = 1}, 5000, random);
  EXPECT_EQ(std::set<std::int64_t>(offsets.begin(), offsets.end()).size(), 50U);
  EXPECT_FALSE(std::is_sorted(offsets.begin(), offsets.end()));
}

class SmallFile : public testing::Test {
 protected:
  static constexpr std::int64_t kRequest = 4096;
  static constexpr int kRequests = 40;

  SmallFile() {
    const std::string name = folder_.path() / "file";
    std::ofstream(name) << std::string(static_cast<std::size_t>(kRequest) * kRequests, 'x');
    file_ = FileDescriptor(open(name.c_str(), O_RDONLY | O_CLOEXEC));
  }

  ReadPlan Plan(double seconds, bool repeat) const {
    ReadPlan plan{
        .fd = file_.get(), .request_bytes = kRequest, .depth = 8, .seconds = seconds, .repeat = repeat};
    for (int i = 0; i < kRequests; ++i) plan.offsets.push_back(i * kRequest);
    return plan;
  }

  TemporaryFolder folder_;
  FileDescriptor file_;
};

/// The physical page behind every virtual one (proc(5)); zeros for those who may not know.
std::vector<std::uint64_t> PhysicalPages(const char* memory, std::size_t pages) {
  constexpr std::uint64_t kFrame = (std::uint64_t{1} << 55) - 1;
  std::vector<std::uint64_t> frames(pages);
  const FileDescriptor map(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  const auto offset = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(memory) / 4096 * sizeof(frames[0]));
  const auto bytes = static_cast<ssize_t>(pages * sizeof(frames[0]));
  if (pread(map.get(), frames.data(), pages * sizeof(frames[0]), offset) != bytes) return {};
  for (std::uint64_t& frame : frames) frame &= kFrame;
  return frames;
}

TEST(RequestBuffer, ItsPagesAreNoNeighboursInMemory) {
  const RequestBuffer buffer(std::int64_t{1} << 20);
  const std::vector<std::uint64_t> frames = PhysicalPages(buffer.get(), 256);
  if (frames.empty() || frames.front() == 0) GTEST_SKIP() << "only root sees where pages lie";
  int neighbours = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) neighbours += frames[i] == frames[i - 1] + 1;
  // By chance one of 256 follows the one before it.
  EXPECT_LT(neighbours, 16);
}

TEST(RequestBuffer, MovedMemoryHasOneOwner) {
  RequestBuffer first(4096);
  const char* memory = first.get();
  const RequestBuffer second(std::move(first));
  EXPECT_EQ(second.get(), memory);
}

TEST_F(SmallFile, WithoutRepeatsEveryRequestIsReadOnceEitherWay) {
  EXPECT_EQ(ReadWithThreads(Plan(60, false)).bytes, kRequest * kRequests);
  const auto queued = ReadThroughQueue(Plan(60, false));
  if (!queued) GTEST_SKIP() << "this kernel has no queue for reads";
  EXPECT_EQ(queued->bytes, kRequest * kRequests);
}

TEST_F(SmallFile, WithRepeatsTheTimeEndsItAndNothingStaysInFlight) {
  EXPECT_GT(ReadWithThreads(Plan(0.05, true)).bytes, kRequest * kRequests);
  const auto queued = ReadThroughQueue(Plan(0.05, true));
  if (!queued) GTEST_SKIP() << "this kernel has no queue for reads";
  EXPECT_GT(queued->bytes, kRequest * kRequests);
  EXPECT_EQ(queued->bytes % kRequest, 0);
}

TEST_F(SmallFile, AReadPastTheEndIsAnErrorEitherWay) {
  ReadPlan plan = Plan(60, false);
  plan.offsets.push_back(kRequest * kRequests);
  EXPECT_THROW(ReadWithThreads(plan), Error);
  if (!ReadThroughQueue(Plan(60, false))) GTEST_SKIP() << "this kernel has no queue for reads";
  EXPECT_THROW(ReadThroughQueue(plan), Error);
}

TEST(LocalProbes, WhatWasNotAskedForIsAbsentWithItsReason) {
  MachineCard card;
  LocalProbes probes({.decode = true, .memory = false, .disk = false}, ".", card, 1, nullptr,
                     [] { return true; });
  EXPECT_EQ(probes.Tasks().size(), 2U);
  ASSERT_EQ(card.absent.size(), 2U);
  EXPECT_EQ(card.absent[0].part, "memory");
  const ProbeRounds rounds = RunRounds(probes.Tasks(), {.max_time = Seconds(0), .fewest = 2},
                                       [](int, const std::string&) { return true; });
  probes.Fill(rounds, card);
  EXPECT_GT(card.decode.value().one_core.mean, 0);
  EXPECT_FALSE(card.memory);
  EXPECT_FALSE(card.disk);
}

TEST(LocalProbes, MemoryIsNoDisk) {
  if (StorageBelow("/dev/shm").kind != StorageKind::kMemory) GTEST_SKIP() << "/dev/shm is no tmpfs here";
  MachineCard card;
  LocalProbes probes({.decode = false, .memory = false, .disk = true}, "/dev/shm", card, 1, nullptr,
                     [] { return true; });
  EXPECT_TRUE(probes.Tasks().empty());
  ASSERT_EQ(card.absent.size(), 3U);
  EXPECT_NE(card.absent[2].reason.find("tmpfs, which is memory"), std::string::npos);
}

}  // namespace
}  // namespace stallscope
