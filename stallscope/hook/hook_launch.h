#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/base/environment.h"
#include "stallscope/engine/rank_team.h"
#include "stallscope/hook/program.h"

namespace stallscope {

/// A rank's file of observed steps is begun anew at this size, and the one before it kept: some 700,000 steps
/// each.
inline constexpr int kObservedBytes = 64 << 20;

/// One launch of the user's program on the ranks of this machine, as torchrun would do it, with the hook in
/// front.
struct HookLaunch {
  const Program* program = nullptr;
  std::filesystem::path files;   ///< the hook's own, for PYTHONPATH
  std::filesystem::path folder;  ///< private to this launch: what hook and workers write down
  std::filesystem::path logs;
  std::string log_prefix;  ///< "launch1-": launches of one run share a folder
  std::string mode;        ///< "ladder" or "observe"
  int nodes = 1;
  int devices_per_node = 1;
  /// Ranks of one host get one thread each, as torchrun gives them; one that is alone for a launch, too, else
  /// it would compute with all cores and be no measure for the others.
  bool shares_cores = false;
  bool outside = false;  ///< a launcher started the command: the variables that it has set are kept
  std::string master_addr = "127.0.0.1";
  int master_port = 0;
  std::string interface;          ///< for Gloo; empty: as the program finds it
  std::vector<std::string> data;  ///< folders or files that are the data; empty: the hook finds them
  bool allow_writes = false;
  std::uint64_t seed = 1;
  std::string watch_offer;         ///< of rank 0's command, for rank 0 to hand on; empty: none
  std::filesystem::path observed;  ///< where observe mode writes its steps

  int WorldSize() const { return nodes * devices_per_node; }
};

/// The variables that torchrun sets, and those that bring the hook. `outside` is the environment that the
/// command was started in: what the user has set there is kept.
std::map<std::string, std::string> HookEnvironment(const HookLaunch& launch, int node, int local_rank,
                                                   const Environment& outside);

/// Writes the rank's configuration into the launch's folder.
RankStart HookRank(const HookLaunch& launch, int node, int local_rank, const Environment& outside);

/// A port of loopback that nobody listens on at the moment.
int FreePort();

/// What the hook says of the program once its loop is understood.
struct HookFacts {
  WorkloadFacts workload;
  std::string device;
  std::string backend;
  std::string optimizer;
  std::string dtype;
  bool synchronises = false;  ///< through DistributedDataParallel, which can be switched off
  struct Loader {
    int workers = 0;
    int batch = 1;
    int batches_per_step = 1;
    std::int64_t samples = 0;  ///< of the data set; 0: it does not say
  };
  std::optional<Loader> loader;
  int batch_without_loader = 1;  ///< of the DataLoader that the program read before; 1: a step is a sample
  std::string no_loader = "the program uses no DataLoader of torch's";  ///< why there is none
};

HookFacts HookFactsFromJson(const nlohmann::json& workload);

}  // namespace stallscope
