#include "stallscope/hook/hook_launch.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"
#include "stallscope/engine/rank_message.h"
#include "stallscope/engine/record_json.h"

namespace stallscope {

using nlohmann::json;

std::map<std::string, std::string> HookEnvironment(const HookLaunch& launch, int node, int local_rank,
                                                   const Environment& outside) {
  const int rank = node * launch.devices_per_node + local_rank;
  std::map<std::string, std::string> places = {
      {"RANK", std::to_string(rank)},
      {"LOCAL_RANK", std::to_string(local_rank)},
      {"WORLD_SIZE", std::to_string(launch.WorldSize())},
      {"LOCAL_WORLD_SIZE", std::to_string(launch.devices_per_node)},
      {"GROUP_RANK", std::to_string(node)},
      {"GROUP_WORLD_SIZE", std::to_string(launch.nodes)},
      {"ROLE_RANK", std::to_string(rank)},
      {"ROLE_WORLD_SIZE", std::to_string(launch.WorldSize())},
      {"ROLE_NAME", "default"},
      {"MASTER_ADDR", launch.master_addr},
      {"MASTER_PORT", std::to_string(launch.master_port)},
  };
  if (launch.outside)
    std::erase_if(places, [&](const auto& place) { return outside(place.first).has_value(); });
  std::map<std::string, std::string> variables = {
      {"STALLSCOPE_HOOK", (launch.folder / fmt::format("config-{}.json", rank)).string()},
      {"PYTHONPATH", launch.files.string()},
      // Output reaches the log when it was written, also of a program that is killed.
      {"PYTHONUNBUFFERED", "1"},
  };
  variables.merge(places);
  if (const auto path = outside("PYTHONPATH"); path && !path->empty())
    variables["PYTHONPATH"] = fmt::format("{}:{}", launch.files.string(), *path);
  // As torchrun: several ranks with a thread per core each would stand in each other's way.
  if (launch.shares_cores && !outside("OMP_NUM_THREADS")) variables.emplace("OMP_NUM_THREADS", "1");
  if (!launch.interface.empty() && !outside("GLOO_SOCKET_IFNAME"))
    variables["GLOO_SOCKET_IFNAME"] = launch.interface;
  return variables;
}

RankStart HookRank(const HookLaunch& launch, int node, int local_rank, const Environment& outside) {
  const int rank = node * launch.devices_per_node + local_rank;
  RankStart start{.rank = rank};
  start.child.argv = launch.program->argv;
  start.child.set_environment = HookEnvironment(launch, node, local_rank, outside);
  start.child.log_file = launch.logs / fmt::format("{}rank{}.log", launch.log_prefix, rank);
  std::filesystem::remove(start.child.log_file);
  const json config = {{"mode", launch.mode},
                       {"rank", rank},
                       {"node", node},
                       {"world_size", launch.WorldSize()},
                       {"folder", launch.folder.string()},
                       {"program", launch.program->name},
                       {"data", launch.data},
                       {"allow_writes", launch.allow_writes},
                       {"seed", launch.seed},
                       {"watch_offer", rank == 0 ? launch.watch_offer : ""},
                       {"observed", launch.observed.string()},
                       {"observed_bytes", kObservedBytes}};
  std::ofstream stream(start.child.set_environment.at("STALLSCOPE_HOOK"));
  stream << config.dump() << std::flush;
  if (!stream)
    throw Error(fmt::format("cannot write into '{}'", launch.folder.string()),
                "free some space, or set TMPDIR");
  return start;
}

int FreePort() {
  const FileDescriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!probe.valid() || bind(probe.get(), generic, size) != 0 ||
      getsockname(probe.get(), generic, &size) != 0) {
    throw Error("no free port was found on loopback", "give --master-port");
  }
  return ntohs(address.sin_port);
}

template <FieldsOf<HookFacts::Loader> Record, typename Visit>
void VisitFields(Record& loader, Visit visit) {
  visit("workers", loader.workers);
  visit("batch", loader.batch);
  visit("batches_per_step", loader.batches_per_step);
  visit("samples", loader.samples);
}

namespace {

HookFacts FactsOf(const json& workload) {
  HookFacts facts;
  facts.workload = WorkloadFactsFromJson(workload);
  TakeField(workload, "device", facts.device);
  TakeField(workload, "backend", facts.backend);
  TakeField(workload, "optimizer", facts.optimizer);
  TakeField(workload, "dtype", facts.dtype);
  TakeField(workload, "synchronises", facts.synchronises);
  TakeField(workload, "loader", facts.loader);
  if (workload.contains("batch")) TakeField(workload, "batch", facts.batch_without_loader);
  if (workload.contains("no_loader")) TakeField(workload, "no_loader", facts.no_loader);
  return facts;
}

}  // namespace

HookFacts HookFactsFromJson(const json& workload) {
  return ReadRankMessage("a description of the program", [&] { return FactsOf(workload); });
}

}  // namespace stallscope
