#include "stallscope/probe/local_probes.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/cache_verdict.h"
#include "stallscope/machine/memory_room.h"
#include "stallscope/machine/minutes_apart.h"
#include "stallscope/stats/series.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

constexpr const char* kDecodeOne = "decode.one_core";
constexpr const char* kDecodeAll = "decode.all_cores";
constexpr const char* kTriadOne = "memory.triad.one_core";
constexpr const char* kTriadAll = "memory.triad.all_cores";
/// Long enough for many requests of a slow disk, short enough for many rounds in a minute.
constexpr double kDiskBlock_s = 0.25;
constexpr double kDecodeBlock_s = 0.2;
/// A pass takes some 10 ms: of so short a block, neither what others take can be seen (they are charged in
/// ticks as long) nor the speed that lasts; the first pass after a pause is faster.
constexpr double kTriadBlock_s = 0.2;
/// The arrays take at most half of the memory that is left.
constexpr double kShareOfMemory = 0.5;

std::string NameOf(const DiskPattern& pattern) {
  return DiskQuantityName(pattern.name(), pattern.request_bytes, pattern.depth);
}

}  // namespace

LocalProbes::LocalProbes(const LocalParts& parts, const std::string& data, MachineCard& card,
                         std::uint64_t seed, Watchdog* watchdog, const std::function<bool()>& keep_going)
    : cpus_(AllowedCpus()), seed_(seed), random_(seed + 1), data_(data) {
  rotates_memory_ = card.topology.numa_nodes.value_or(1) == 1;
  const auto leave_out = [&](const char* part, bool wanted) {
    if (!wanted) card.absent.push_back({part, "it was not asked for"});
  };
  leave_out("decode", parts.decode);
  leave_out("memory", parts.memory);
  leave_out("disk", parts.disk);
  if (parts.decode) decode_.emplace();
  if (parts.memory) MakeTriad(card);
  if (parts.disk) MakeDiskFile(card, watchdog, keep_going);
}

void LocalProbes::MakeTriad(MachineCard& card) {
  const TriadSizes sizes = TriadSizesFor(card.topology);
  const auto room = MemoryRoom({});
  const double wanted = 3 * static_cast<double>(sizes.all_cores);
  if (room && wanted > kShareOfMemory * static_cast<double>(*room)) {
    card.absent.push_back(
        {"memory", fmt::format("three arrays of four times the last cache take {}, and {} are left",
                               FormatBytes(wanted), FormatBytes(static_cast<double>(*room)))});
    return;
  }
  triad_ = std::make_unique<Triad>(sizes, cpus_);
}

void LocalProbes::MakeDiskFile(MachineCard& card, Watchdog* watchdog,
                               const std::function<bool()>& keep_going) {
  try {
    file_.emplace(data_, watchdog, keep_going);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    card.absent.push_back({"disk", e.what()});
  }
}

double LocalProbes::ReadDisk(const DiskPattern& pattern) {
  const DiskBlock block = ReadDiskBlock(*file_, pattern, kDiskBlock_s, random_);
  asked_bytes_ += static_cast<std::uint64_t>(block.bytes);
  device_bytes_ = device_bytes_ && block.device_bytes ? std::optional(*device_bytes_ + *block.device_bytes)
                                                      : std::nullopt;
  return block.bytes_per_s();
}

double LocalProbes::PassesOf(const std::function<double()>& pass, double& best) const {
  const double begin_s = MonotonicSeconds();
  double seconds_per_byte = 0;
  int passes = 0;
  do {
    const double bytes_per_s = pass();
    best = std::max(best, bytes_per_s);
    seconds_per_byte += 1 / bytes_per_s;
    ++passes;
  } while (MonotonicSeconds() - begin_s < kTriadBlock_s);
  return passes / seconds_per_byte;
}

std::vector<ProbeTask> LocalProbes::Tasks() {
  std::vector<ProbeTask> tasks;
  const auto core_of = [this](int round) { return cpus_[static_cast<std::size_t>(round) % cpus_.size()]; };
  if (decode_) {
    tasks.push_back(
        {kDecodeOne, [=, this](int round) { return decode_->Measure({core_of(round)}, kDecodeBlock_s); }});
    tasks.push_back({kDecodeAll, [this](int) { return decode_->Measure(cpus_, kDecodeBlock_s); }});
  }
  if (triad_) {
    tasks.push_back({kTriadOne, [=, this](int round) {
                       const int core = rotates_memory_ ? core_of(round) : cpus_.front();
                       return PassesOf([&] { return triad_->OneCore(core); }, best_one_core_);
                     }});
    tasks.push_back(
        {kTriadAll, [this](int) { return PassesOf([&] { return triad_->AllCores(); }, best_all_cores_); }});
  }
  if (file_) {
    for (const DiskPattern& pattern : DiskPatterns()) {
      tasks.push_back({NameOf(pattern), [this, pattern](int) { return ReadDisk(pattern); }});
    }
  }
  return tasks;
}

void LocalProbes::Fill(const ProbeRounds& rounds, MachineCard& card) const {
  const auto mean_of = [&](const char* name, double between) {
    return ForAnotherSeries(SeriesMean(rounds.CalmOf(name), seed_), between);
  };
  if (decode_) {
    card.decode = DecodeRates{.image_width = DecodeRate::kWidth,
                              .image_height = DecodeRate::kHeight,
                              .image_bytes = decode_->mean_bytes(),
                              .one_core = mean_of(kDecodeOne, kMinutesApart.processor),
                              .all_cores = mean_of(kDecodeAll, kMinutesApart.processor),
                              .cores = static_cast<int>(cpus_.size())};
  }
  if (triad_) {
    const auto rate_of = [&](const char* name, double best, std::int64_t array_bytes, int threads) {
      return TriadRate{.bytes_per_s = mean_of(name, kMinutesApart.memory),
                       .best_bytes_per_s = best,
                       .array_bytes = array_bytes,
                       .threads = threads};
    };
    card.memory = MemoryRates{.one_core = rate_of(kTriadOne, best_one_core_, triad_->sizes().one_core, 1),
                              .all_cores = rate_of(kTriadAll, best_all_cores_, triad_->sizes().all_cores,
                                                   static_cast<int>(cpus_.size()))};
  }
  if (file_) FillDisk(rounds, card);
}

void LocalProbes::FillDisk(const ProbeRounds& rounds, MachineCard& card) const {
  const CacheVerdict verdict =
      JudgeCache(CacheState::kCold,
                 {.storage = file_->storage(), .file_bytes = asked_bytes_, .device_bytes = device_bytes_});
  if (verdict.worth_a_retry) {
    card.absent.push_back({"disk", "the reads were not cold: " + verdict.reason});
    return;
  }
  DiskRates disk{.path = data_,
                 .storage = file_->storage().name.empty() ? "disk" : file_->storage().name,
                 .file_bytes = file_->bytes(),
                 .direct = file_->direct(),
                 .cache = verdict.state,
                 .cache_reason = verdict.reason};
  for (const DiskPattern& pattern : DiskPatterns()) {
    const std::vector<double> rates = rounds.CalmOf(NameOf(pattern));
    std::vector<double> latencies;
    for (const double rate : rates) {
      // Little's law: in flight = rate of requests x time of one.
      latencies.push_back(pattern.depth * static_cast<double>(pattern.request_bytes) / rate);
    }
    disk.reads.push_back({.pattern = pattern.name(),
                          .request_bytes = pattern.request_bytes,
                          .depth = pattern.depth,
                          .bytes_per_s = ForAnotherSeries(SeriesMean(rates, seed_), kMinutesApart.disk),
                          .latency_s = ForAnotherSeries(SeriesMean(latencies, seed_), kMinutesApart.disk)});
  }
  card.disk = disk;
}

}  // namespace stallscope
