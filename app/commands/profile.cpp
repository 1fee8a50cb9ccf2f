#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/command.h"
#include "app/commands/model_list.h"
#include "app/commands/profile_data.h"
#include "app/commands/profile_job.h"
#include "app/commands/profile_options.h"
#include "app/profile_delivery.h"
#include "app/profile_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/dataset_maker.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/network/network.h"
#include "stallscope/supervise/cpu_sets.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

constexpr int kDefaultRanks = 2;

Network NetworkOf(const TrainingConfig& training) {
  return BuildNetwork(training.model, {.image_size = training.image_size,
                                       .sequence_length = training.sequence_length,
                                       .classes = training.classes});
}

/// What can be said without torch is said before anything starts; a TorchScript file is the engine's.
void CheckNetwork(const TrainingConfig& training) {
  if (training.torchscript) return;
  const Network network = NetworkOf(training);
  if (training.batch < SmallestBatch(network)) {
    throw UsageError(fmt::format("--batch {} is too small for {}: batch norm needs more than one value",
                                 training.batch, training.model),
                     fmt::format("give --batch {} or more", SmallestBatch(network)));
  }
}

void WarnAboutCores(const LaunchPlan& plan) {
  const std::size_t cores = AllowedCpus().size();
  if (plan.launcher.empty() && plan.local_ranks.size() > cores) {
    std::cerr << fmt::format(
        "warning: {} ranks share {} core{}: they will wait for each other; give --nproc-per-node {}\n",
        plan.local_ranks.size(), cores, cores == 1 ? "" : "s", cores);
  }
}

LaunchPlan PlanOf(const ProfileOptions& options) {
  const auto launched = ReadLaunchEnvironment(ProcessEnvironment());
  const auto cores = static_cast<int>(AllowedCpus().size());
  if (!options.emulate) return PlanLaunch(options.launch, launched, std::min(kDefaultRanks, cores));
  if (launched || options.launch.nnodes || options.launch.node_rank || options.launch.master_addr) {
    throw UsageError("--emulate makes its machines itself",
                     "leave out --nnodes, --node-rank and --master-addr, and start it without a launcher");
  }
  const int devices = options.launch.nproc_per_node.value_or(std::max(1, cores / options.emulate->nodes));
  if (devices < 1) throw UsageError("--nproc-per-node must be at least 1", "give 1 or more");
  return PlanEmulated(options.emulate->nodes, devices);
}

/// A reference that cannot be one is refused before anything is measured.
void CheckReference(const ProfileOptions& options, const LaunchPlan& plan, const Rungs& rungs) {
  if (options.reference.empty()) return;
  const Profile other = ReadProfileAt(options.reference);
  const bool has_cluster =
      std::find(rungs.present.begin(), rungs.present.end(), Condition::kCluster) != rungs.present.end();
  if (!has_cluster) {
    throw UsageError("--reference needs the rung cluster, and this job has none",
                     "profile several machines, with --nnodes or --emulate");
  }
  const int theirs = other.cluster.devices_per_node * (other.cluster.emulated ? other.cluster.nodes : 1);
  if (theirs != plan.world_size) {
    throw UsageError(fmt::format("--reference {} has {} devices in one machine, and this job {}",
                                 options.reference, theirs, plan.world_size),
                     "compare with a machine of as many devices");
  }
}

/// The folder of the run that is gone on with, or a new one.
OutputFolder FolderFor(const ProfileOptions& options) {
  if (options.resume.empty()) return MakeOutputFolder(options);
  if (!std::filesystem::is_directory(options.resume))
    throw UsageError("--resume " + options.resume + " is no folder", "give the folder of an interrupted run");
  return {.path = options.resume, .is_new = false};
}

void PrintPlan(const LaunchPlan& plan, const ProfileOptions& options) {
  // What would fail then is said now.
  if (options.emulate) const NetworkLab attempt(options.emulate->nodes, options.emulate->bandwidth);
  if (options.training.torchscript) {
    fmt::print("{}: a scripted network\n", options.WorkloadName());
  } else {
    const NetworkTotals totals = Totals(NetworkOf(options.training));
    fmt::print("{}: {} parameters in {} gradient tensors, {} per step and device\n", options.WorkloadName(),
               totals.parameters, totals.gradient_tensors,
               FormatBytes(static_cast<double>(totals.gradient_bytes)));
  }
  if (plan.places_unknown) {
    fmt::print("{} ranks, started by {}\n", plan.world_size, plan.launcher);
  } else {
    fmt::print("{} machine{} with {} rank{}{}{}\n", plan.nodes, plan.nodes == 1 ? "" : "s",
               plan.devices_per_node, plan.devices_per_node == 1 ? "" : "s", plan.nodes == 1 ? "" : " each",
               plan.launcher.empty() ? "" : ", started by " + plan.launcher);
    const Rungs rungs = RungsOfJob(plan, options);
    for (const Condition condition : rungs.present) fmt::print("  measures {}\n", ConditionName(condition));
    for (const AbsentCondition& absent : rungs.absent)
      fmt::print("  leaves out {}: {}\n", absent.condition, absent.reason);
  }
  if (options.self_test) fmt::print("  injects stalls of known size into these\n");
  fmt::print("takes {} {}\n", options.self_test ? "about" : "at most", FormatDuration(options.max_time));
}

/// A data set for --self-test where none is given; gone afterwards.
class SelfTestData {
 public:
  std::string path() const { return folder_.path() / "data"; }
  void Make() const {
    // Enough small images for cold blocks that never read a file twice.
    const DatasetRecipe recipe{.images = 1200, .width = 200, .height = 150, .classes = 10};
    MakeDataset(path(), recipe, false, 2, [](std::size_t, std::size_t) { return true; });
    MakeEqualInSize();
  }

 private:
  /// Ranks whose files differ wait for each other, which no arithmetic foresees. A decoder stops at the end
  /// of its image and does not see what follows.
  void MakeEqualInSize() const {
    std::uintmax_t largest = 0;
    const auto for_each_image = [&](const auto& visit) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
        if (entry.path().extension() == ".jpg") visit(entry);
      }
    };
    for_each_image([&](const auto& entry) { largest = std::max(largest, entry.file_size()); });
    constexpr std::uintmax_t kPage = 4096;
    const std::uintmax_t size = (largest + kPage - 1) / kPage * kPage;
    for_each_image([&](const auto& entry) {
      std::ofstream(entry.path(), std::ios::app) << std::string(size - entry.file_size(), '\0');
    });
  }

  Watchdog watchdog_;
  TemporaryFolder folder_{&watchdog_};
};

int RunProfile(ProfileFlags& flags, const std::vector<std::string>& argv) {
  const ProfileOptions& options = flags.options;
  std::optional<SelfTestData> own_data;
  if (options.self_test && flags.data.empty()) flags.data = own_data.emplace().path();
  flags.ReadUnits();
  if (options.list_models) return ListModels(options.output);
  CheckNetwork(options.training);
  std::optional<DatasetInfo> dataset;
  if (!(own_data && options.dry_run)) {
    if (own_data) own_data->Make();
    dataset = LookAtData(options);
  }
  LaunchPlan plan = PlanOf(options);
  if (!plan.places_unknown) {
    const Rungs rungs = RungsOfJob(plan, options);
    CheckReference(options, plan, rungs);
  }
  if (options.dry_run) {
    PrintPlan(plan, options);
    return kExitOk;
  }
  WarnAboutCores(plan);
  ProfileJob job(options, argv, plan, dataset);
  std::optional<OutputFolder> folder;
  try {
    if (!plan.Leads()) return job.Follow();
    folder = FolderFor(options);
    return options.self_test ? job.SelfTest(folder->path) : job.Lead(folder->path);
  } catch (const Error& e) {
    if (const auto code = job.SignalExitCode()) return *code;
    // Nothing was measured, and the next try should not stumble over an empty folder.
    if (e.exit_code == kExitUsage && folder && folder->is_new) std::filesystem::remove_all(folder->path);
    throw;
  }
}

}  // namespace

std::function<int()> DeclareProfile(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ProfileFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunProfile(*flags, argv); };
}

}  // namespace stallscope
