#include "stallscope/input/cache_verdict.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

double ResidentPart(const CachePreparation& prepared) {
  return static_cast<double>(prepared.resident_bytes) / static_cast<double>(prepared.checked_bytes);
}

std::string WhyHeld(const CachePreparation& prepared) {
  if (prepared.held.empty()) return "another process reads the same files";
  if (!prepared.holder.empty()) return fmt::format("'{}' is mapped by {}", prepared.held, prepared.holder);
  return fmt::format("'{}' stays in memory: another process maps or reads it", prepared.held);
}

/// The server's own cache is out of sight and reach.
CacheVerdict JudgeRemote(CacheState asked, const CacheEvidence& evidence) {
  const bool cold = asked == CacheState::kCold;
  CacheVerdict verdict{.state = cold ? "client-cold" : "warm"};
  const std::string where = fmt::format("the files lie on {}", evidence.storage.name);
  if (evidence.prepared.checked_bytes == 0) {
    verdict.reason = where + ", whose reads are not counted, and they belong to somebody else";
    return verdict;
  }
  const double resident = ResidentPart(evidence.prepared);
  const bool as_asked = cold ? resident <= 1 - kColdShare : resident >= 1 - kWarmShare;
  if (as_asked && !cold) {
    verdict.verified = true;
  } else if (as_asked) {
    verdict.reason = where + ": evicted on this machine, but the server may hold them in its memory";
  } else {
    verdict.state = "mixed";
    verdict.reason = fmt::format("{:.0f} % of the bytes were in memory before the reads", 100 * resident);
    verdict.worth_a_retry = true;
  }
  return verdict;
}

CacheVerdict JudgeByDevice(CacheState asked, double share, const CachePreparation& prepared) {
  if (asked == CacheState::kCold) {
    if (share >= kColdShare) return {.state = "cold", .verified = true};
    return {.state = share <= kWarmShare ? "warm" : "mixed",
            .reason = fmt::format("only {:.1f} % of the bytes came from the device, {:.0f} % are needed: {}",
                                  100 * share, 100 * kColdShare, WhyHeld(prepared)),
            .worth_a_retry = true};
  }
  if (share <= kWarmShare) return {.state = "warm", .verified = true};
  return {
      .state = share >= kColdShare ? "cold" : "mixed",
      .reason = fmt::format("{:.1f} % of the bytes came from the device, at most {:.0f} % may: the files do "
                            "not fit into memory, or it is short",
                            100 * share, 100 * kWarmShare),
      .worth_a_retry = true};
}

}  // namespace

CacheState ParseCacheState(const std::string& name) {
  for (const CacheState state : {CacheState::kAny, CacheState::kWarm, CacheState::kCold}) {
    if (name == CacheStateName(state)) return state;
  }
  throw UsageError(fmt::format("--cache '{}' is unknown", name), "choose cold, warm or any");
}

std::string CacheStateName(CacheState state) {
  switch (state) {
    case CacheState::kAny:
      return "any";
    case CacheState::kWarm:
      return "warm";
    case CacheState::kCold:
      return "cold";
  }
  return "?";
}

CacheVerdict JudgeCache(CacheState asked, const CacheEvidence& evidence) {
  if (asked == CacheState::kAny) return {.state = "any", .reason = "no cache state was asked for"};
  if (evidence.storage.kind == StorageKind::kMemory) {
    if (asked == CacheState::kWarm) return {.state = "warm", .verified = true};
    return {.state = "in memory",
            .reason = fmt::format("the files lie on {}, which is memory: nothing can be evicted",
                                  evidence.storage.name)};
  }
  if (evidence.storage.kind == StorageKind::kRemote) return JudgeRemote(asked, evidence);
  if (!evidence.device_bytes)
    return {.state = "unknown",
            .reason = "the kernel does not tell this process's read_bytes (/proc/self/io)"};
  if (evidence.file_bytes == 0) return {.state = "unknown", .reason = "nothing was read"};
  const double share = static_cast<double>(*evidence.device_bytes) / static_cast<double>(evidence.file_bytes);
  return JudgeByDevice(asked, share, evidence.prepared);
}

}  // namespace stallscope
