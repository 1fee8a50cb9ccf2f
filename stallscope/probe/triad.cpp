#include "stallscope/probe/triad.h"

#include <sys/mman.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/probe/crew.h"
#include "stallscope/probe/triad_pass.h"

namespace stallscope {
namespace {

constexpr int kTimesTheCache = 4;
constexpr std::int64_t kBytesPerElement = 3 * sizeof(double);
constexpr double kFactor = 3;
constexpr double kB = 2;
constexpr double kC = 0.5;

double* Map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error("there is no memory for three arrays of " + FormatBytes(static_cast<double>(bytes)),
                "give --skip memory");
  }
  return static_cast<double*>(memory);
}

}  // namespace

TriadSizes TriadSizesFor(const TopologyFacts& topology) {
  const LastLevelCache cache = LastLevelOf(topology).value_or(LastLevelCache{});
  return {.one_core = std::max(kSmallestArray, kTimesTheCache * cache.one),
          .all_cores = std::max(kSmallestArray, kTimesTheCache * cache.all)};
}

Triad::Triad(const TriadSizes& sizes, std::vector<int> cpus) : sizes_(sizes), cpus_(std::move(cpus)) {
  mapped_bytes_ = static_cast<std::size_t>(sizes_.all_cores);
  a_ = Map(mapped_bytes_);
  b_ = Map(mapped_bytes_);
  c_ = Map(mapped_bytes_);
  RunOnCores(cpus_, [this](std::size_t worker) {
    const Part part = PartOf(worker);
    std::fill_n(a_ + part.begin, part.count, 0.0);
    std::fill_n(b_ + part.begin, part.count, kB);
    std::fill_n(c_ + part.begin, part.count, kC);
  });
}

Triad::~Triad() {
  for (double* array : {a_, b_, c_}) munmap(array, mapped_bytes_);
}

Triad::Part Triad::PartOf(std::size_t worker) const {
  const std::size_t elements = mapped_bytes_ / sizeof(double);
  const std::size_t begin = elements * worker / cpus_.size();
  return {.begin = begin, .count = elements * (worker + 1) / cpus_.size() - begin};
}

double Triad::RateOf(std::size_t count, double seconds) {
  // A result that nobody looks at could be left out by a compiler, and a wrong one counts for nothing.
  for (const std::size_t at : {std::size_t{0}, count / 2, count - 1}) {
    if (a_[at] != kB + kFactor * kC)
      throw Error("memory gives back what was not written", "test this machine's memory");
  }
  return static_cast<double>(count) * kBytesPerElement / seconds;
}

double Triad::OneCore(int cpu) {
  const std::size_t count = static_cast<std::size_t>(sizes_.one_core) / sizeof(double);
  return RateOf(count, RunOnCores({cpu}, [&](std::size_t) { TriadPass(a_, b_, c_, kFactor, count); }));
}

double Triad::AllCores() {
  const double seconds = RunOnCores(cpus_, [this](std::size_t worker) {
    const Part part = PartOf(worker);
    TriadPass(a_ + part.begin, b_ + part.begin, c_ + part.begin, kFactor, part.count);
  });
  return RateOf(mapped_bytes_ / sizeof(double), seconds);
}

}  // namespace stallscope
