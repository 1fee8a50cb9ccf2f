#include "stallscope/input/cache_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

CacheEvidence Disk(std::uint64_t files, std::uint64_t device) {
  return {.file_bytes = files, .device_bytes = device};
}

TEST(CacheVerdict, ColdNeeds98PercentFromTheDevice) {
  EXPECT_TRUE(JudgeCache(CacheState::kCold, Disk(1000, 980)).verified);
  EXPECT_TRUE(JudgeCache(CacheState::kCold, Disk(1000, 1024)).verified)
      << "whole pages are more than the files";
  const CacheVerdict refused = JudgeCache(CacheState::kCold, Disk(1000, 979));
  EXPECT_FALSE(refused.verified);
  EXPECT_TRUE(refused.worth_a_retry);
  EXPECT_EQ(refused.state, "mixed");
  EXPECT_THAT(refused.reason, HasSubstr("only 97.9 % of the bytes came from the device"));
}

TEST(CacheVerdict, WarmAllowsOnePercentFromTheDevice) {
  EXPECT_TRUE(JudgeCache(CacheState::kWarm, Disk(1000, 10)).verified);
  EXPECT_FALSE(JudgeCache(CacheState::kWarm, Disk(1000, 11)).verified);
}

TEST(CacheVerdict, AMappedFileAndItsHolderAreNamed) {
  CacheEvidence evidence = Disk(1000, 0);
  evidence.prepared.held = "/data/a.jpg";
  EXPECT_THAT(JudgeCache(CacheState::kCold, evidence).reason, HasSubstr("'/data/a.jpg' stays in memory"));
  evidence.prepared.holder = "process 7 (cat)";
  EXPECT_THAT(JudgeCache(CacheState::kCold, evidence).reason,
              HasSubstr("'/data/a.jpg' is mapped by process 7 (cat)"));
}

TEST(CacheVerdict, MemoryIsNeverCalledCold) {
  CacheEvidence evidence = Disk(1000, 1000);
  evidence.storage = {StorageKind::kMemory, "tmpfs"};
  const CacheVerdict verdict = JudgeCache(CacheState::kCold, evidence);
  EXPECT_FALSE(verdict.verified);
  EXPECT_EQ(verdict.state, "in memory");
  EXPECT_THAT(verdict.reason, HasSubstr("tmpfs"));
  EXPECT_TRUE(JudgeCache(CacheState::kWarm, evidence).verified);
}

TEST(CacheVerdict, ANetworkFileSystemIsColdOnlyAtTheClient) {
  CacheEvidence evidence = Disk(1000, 0);
  evidence.storage = {StorageKind::kRemote, "NFS"};
  EXPECT_EQ(JudgeCache(CacheState::kCold, evidence).state, "client-cold");
  evidence.prepared.checked_bytes = 1000;
  const CacheVerdict evicted = JudgeCache(CacheState::kCold, evidence);
  EXPECT_EQ(evicted.state, "client-cold");
  EXPECT_FALSE(evicted.verified);
  EXPECT_THAT(evicted.reason, HasSubstr("NFS"));
  evidence.prepared.resident_bytes = 500;
  EXPECT_EQ(JudgeCache(CacheState::kCold, evidence).state, "mixed");
  evidence.prepared.resident_bytes = 1000;
  EXPECT_TRUE(JudgeCache(CacheState::kWarm, evidence).verified);
}

TEST(CacheVerdict, WithoutEvidenceNothingIsClaimed) {
  EXPECT_EQ(JudgeCache(CacheState::kCold, {.file_bytes = 10}).state, "unknown");
  EXPECT_EQ(JudgeCache(CacheState::kCold, Disk(0, 0)).state, "unknown");
  EXPECT_FALSE(JudgeCache(CacheState::kAny, Disk(1000, 0)).verified);
}

TEST(CacheState, NamesAreReadBack) {
  for (const char* name : {"any", "warm", "cold"}) EXPECT_EQ(CacheStateName(ParseCacheState(name)), name);
  EXPECT_THROW(ParseCacheState("tepid"), UsageError);
}

TEST(Storage, TypesThatStatfsGives) {
  EXPECT_EQ(StorageOfType(0xEF53).kind, StorageKind::kDisk);  // ext4
  EXPECT_EQ(StorageOfType(0x01021994).name, "tmpfs");
  EXPECT_EQ(StorageOfType(0x6969).kind, StorageKind::kRemote);
  EXPECT_EQ(StorageOfType(static_cast<std::int32_t>(0xff534d42)).name, "CIFS") << "with the sign in front";
}

}  // namespace
}  // namespace stallscope
