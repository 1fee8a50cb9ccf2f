#include "app/commands/doctor_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/engine_path.h"
#include "stallscope/base/error.h"
#include "stallscope/base/root.h"
#include "stallscope/base/units.h"
#include "stallscope/hook/interpreter.h"
#include "stallscope/machine/host.h"
#include "stallscope/supervise/cpu_sets.h"
#include "stallscope/supervise/disk_throttle.h"
#include "stallscope/supervise/network_lab.h"
#include "stallscope/supervise/run_tool.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

/// Loading libtorch from a cold disk takes its time.
constexpr Seconds kSlowTool{60};

Check CheckCores() {
  const std::size_t cores = AllowedCpus().size();
  Check check{.name = "cores", .found = fmt::format("{} usable by this process", cores), .needed = true};
  if (cores < 2) {
    check.health = Health::kLimited;
    check.fix =
        "two ranks on one core only show contention: use a machine with more cores, or widen the cpuset";
  }
  return check;
}

Check CheckMemory() {
  const auto memory = ReadHost(Root{}).memory_bytes;
  if (!memory) return {.name = "memory", .health = Health::kLimited, .found = "/proc/meminfo cannot be read"};
  return {.name = "memory", .found = FormatBytes(static_cast<double>(*memory))};
}

/// The engine and its BLAS, from the engine's own mouth.
void CheckEngine(std::vector<Check>& checks) {
  Check engine{.name = "engine", .needed = true};
  Check blas{.name = "BLAS"};
  try {
    const std::filesystem::path path = FindEngine();
    const auto facts = nlohmann::json::parse(RunTool({path.string(), "--describe"}, {.timeout = kSlowTool}));
    engine.found = fmt::format("{} with torch {}", path.string(), facts.at("torch").get<std::string>());
    blas.found = facts.at("blas").get<std::string>();
    if (blas.found.find("openblas") == std::string::npos && blas.found.find("mkl") == std::string::npos) {
      blas.health = Health::kLimited;
      blas.fix = "this BLAS is slow, so communication will look small: apt-get install libopenblas0-pthread";
    }
  } catch (const Error& e) {
    engine.health = Health::kMissing;
    engine.found = e.what();
    engine.fix = e.hint;
    blas.health = Health::kLimited;
    blas.found = "unknown without the engine";
  } catch (const nlohmann::json::exception&) {
    engine.health = Health::kMissing;
    engine.found = "the engine does not say what it is";
    engine.fix = "build both programs from one tree with ./run.sh";
    blas.health = Health::kLimited;
    blas.found = "unknown without the engine";
  }
  checks.push_back(engine);
  checks.push_back(blas);
}

Check CheckRoot() {
  if (geteuid() == 0) return {.name = "root", .found = "yes"};
  return {.name = "root",
          .health = Health::kLimited,
          .found = "no; profiling does not need it",
          .fix = "only slowed disks (cgroups) need root; run those with sudo"};
}

Check CheckNamespaces() {
  const auto reason = NetworkLabUnavailable();
  if (!reason)
    return {.name = "namespaces", .found = "machines can be made of network namespaces, and links shaped"};
  return {
      .name = "namespaces",
      .health = Health::kLimited,
      .found = *reason,
      .fix =
          "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), with iproute2"};
}

Check CheckDiskThrottle() {
  const auto reason = DiskThrottleUnavailable(std::filesystem::current_path());
  if (!reason) return {.name = "disk limits", .found = "reads of this folder can be slowed by a cgroup"};
  return {.name = "disk limits",
          .health = Health::kLimited,
          .found = *reason,
          .fix = "run as root in a folder on a real disk"};
}

/// Writes a file, evicts it, and looks: the way that cold data is made.
Check CheckEviction() {
  const std::string name = "eviction";
  std::string file = (std::filesystem::current_path() / ".stallscope-evict-XXXXXX").string();
  const int fd = mkostemp(file.data(), O_CLOEXEC);
  if (fd < 0) {
    return {.name = name,
            .health = Health::kLimited,
            .found = "cannot write here",
            .fix = "run it in a folder of yours"};
  }
  unlink(file.c_str());
  constexpr std::size_t kBytes = 1 << 20;
  const std::vector<char> content(kBytes, 'x');
  std::vector<unsigned char> resident(kBytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  bool evicted = write(fd, content.data(), kBytes) == static_cast<ssize_t>(kBytes) && fdatasync(fd) == 0 &&
                 posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;
  if (void* map = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0); map != MAP_FAILED) {
    evicted = evicted && mincore(map, kBytes, resident.data()) == 0;
    for (const unsigned char page : resident) evicted = evicted && (page & 1) == 0;
    munmap(map, kBytes);
  }
  close(fd);
  if (evicted) return {.name = name, .found = "files of this folder can be dropped from the page cache"};
  return {.name = name,
          .health = Health::kLimited,
          .found = "files of this folder stay in memory (tmpfs, or a network file system)",
          .fix = "put data that must be read cold on a local disk"};
}

Check CheckGpus() {
  if (!HasNvidiaGpu(Root{})) return {.name = "GPUs", .found = "none; the engine trains on CPUs"};
  return {.name = "GPUs",
          .health = Health::kLimited,
          .found = "an NVIDIA driver is here; the engine trains on CPUs only"};
}

Check CheckInterpreters() {
  std::vector<std::string> with_torch;
  for (const auto& [path, torch] : InterpretersWithTorch()) {
    with_torch.push_back(fmt::format("{} (torch {})", path, torch.version));
  }
  if (!with_torch.empty())
    return {.name = "interpreters", .found = fmt::format("{}", fmt::join(with_torch, ", "))};
  return {.name = "interpreters",
          .health = Health::kLimited,
          .found = "no Python with torch; profiling does not need one",
          .fix = "to compare with PyTorch: apt-get install python3-torch, or activate your environment"};
}

}  // namespace

std::vector<Check> RunChecks() {
  std::vector<Check> checks = {CheckCores(), CheckMemory()};
  CheckEngine(checks);
  for (Check (*check)() :
       {CheckRoot, CheckNamespaces, CheckDiskThrottle, CheckEviction, CheckGpus, CheckInterpreters}) {
    checks.push_back(check());
  }
  return checks;
}

}  // namespace stallscope
