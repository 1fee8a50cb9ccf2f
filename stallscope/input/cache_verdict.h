#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stallscope/input/page_cache.h"
#include "stallscope/input/storage.h"

namespace stallscope {

/// What a block of reads is asked to start from.
enum class CacheState { kAny, kWarm, kCold };

/// "any", "warm", "cold"; throws UsageError for other names.
CacheState ParseCacheState(const std::string& name);
std::string CacheStateName(CacheState state);

/// At least so much of a cold block comes from the device; the rest is pages that a neighbour touched.
constexpr double kColdShare = 0.98;
/// At most so much of a warm one: what the file system reads of its own, and a page that was reclaimed.
constexpr double kWarmShare = 0.01;

/// What a block was, and how that is known.
struct CacheVerdict {
  std::string state;      ///< "cold", "warm", "client-cold", "mixed", "in memory", "any", "unknown"
  bool verified = false;  ///< whether it is the state that was asked for, and that could be shown
  std::string reason;     ///< why not; empty where verified
  bool worth_a_retry = false;
};

/// The evidence of one block.
struct CacheEvidence {
  Storage storage;
  CachePreparation prepared;
  std::uint64_t file_bytes = 0;               ///< read by the block
  std::optional<std::uint64_t> device_bytes;  ///< of them from the device
};

CacheVerdict JudgeCache(CacheState asked, const CacheEvidence& evidence);

}  // namespace stallscope
