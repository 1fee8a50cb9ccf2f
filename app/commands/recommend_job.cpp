#include "app/commands/recommend_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/profile_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/profiled_workload.h"
#include "stallscope/recommend/known_runs.h"

namespace stallscope {
namespace {

constexpr double kBytesPerGb = 1e9;

class RecommendJob {
 public:
  explicit RecommendJob(const RecommendFlags& flags)
      : flags_(flags), catalog_(flags.workload.catalog.Load()) {
    flags_.Resolve(catalog_);
  }

  Recommendation Run() {
    if (flags_.workload.profile.empty()) {
      ReadModel();
    } else {
      ReadProfile();
    }
    ReadSize();
    request_.range.machines = flags_.Machines(catalog_, request_.left_out);
    request_.range.max_nodes = flags_.max_nodes;
    request_.range.most_global_batch = flags_.most_global_batch;
    request_.question = flags_.Asked();
    request_.money = flags_.Money();
    request_.prices = flags_.Prices(catalog_);
    request_.filter = {.region = flags_.region, .on_demand = true, .spot = flags_.spot};
    request_.top = static_cast<std::size_t>(flags_.top);
    request_.today = UtcNow();
    ReadRuns();
    const ComputeModel compute(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(catalog_));
    Recommendation result = Recommend(request_, catalog_, compute, scaling_);
    Complete(result);
    return result;
  }

 private:
  void ReadModel() {
    const PredictFlags& workload = flags_.workload;
    const Network network = BuildNetwork(workload.model, workload.Options());
    request_.plan.model = workload.model;
    request_.plan.network = workload.Options();
    request_.plan.precision = workload.dtype.empty() ? "fp32" : workload.dtype;
    if (!workload.stack.empty()) request_.plan.stack = workload.stack;
    if (!workload.dataset.empty() || !workload.sample_bytes.empty()) {
      request_.plan.data = workload.Data(network.name, TokensOf(network), catalog_);
    }
    request_.range.batches = flags_.Batches();
    request_.range.global_batch = flags_.global_batch;
    request_.job.checkpoint_bytes = CheckpointBytes(network);
    name_ = network.name;
    asked_ = WorkloadOf(network, request_.plan.precision);
  }

  void ReadProfile() {
    profile_ = ReadProfileAt(flags_.workload.profile);
    RequireGpuProfile(
        *profile_, flags_.workload.profile,
        "measure the program on a GPU with `stallscope run`, or give --model in place of --profile");
    measured_on_ = &flags_.workload.MeasuredOn(catalog_);
    name_ = profile_->workload.model;
    request_.plan = PlanFromProfile(*profile_, flags_.workload.profile);
    if (!flags_.workload.stack.empty()) request_.plan.stack = flags_.workload.stack;
    ReplaceData();
    asked_ = WorkloadOf(*profile_);
    request_.range.batches = {request_.plan.batch};
    // Weights and, as is usual, two moments of them.
    request_.job.checkpoint_bytes = 3.0 * static_cast<double>(profile_->workload.gradient_bytes);
    scaling_ = WithMeasuredLoader(scaling_, *profile_);
    request_.range.compute_on = [this](const Machine& machine) { return ComputeOn(machine); };
  }

  /// The data of the flags in place of the profile's.
  void ReplaceData() {
    const PredictFlags& given = flags_.workload;
    std::optional<PlannedData>& data = request_.plan.data;
    if (!given.dataset.empty() || !given.sample_bytes.empty()) {
      data = given.Data(name_, SampleTokens(*profile_, request_.plan.measured->kind), catalog_);
    } else if (!given.samples.empty() && data) {
      data->samples = PositiveNumber("--samples", given.samples, "1281167");  // as large as the profile's
    }
  }

  ComputeEstimate ComputeOn(const Machine& machine) const {
    if (machine.gpus < 1) {
      throw Error("what a part of a GPU does to a measured workload is not known", "give --model instead");
    }
    const auto gpu = ResolveGpu(catalog_, machine.gpu);
    if (!gpu) throw Error(fmt::format("the catalog does not know the GPU '{}'", machine.gpu), "add it");
    return ScaleCompute(*profile_, request_.plan.measured->compute, *measured_on_, SpeedOf(*gpu->gpu),
                        catalog_)
        .estimate;
  }

  void ReadSize() {
    JobSize& job = request_.job;
    const std::optional<PlannedData>& data = request_.plan.data;
    if (data) {
      job.samples = data->samples;
      job.dataset_bytes = data->samples * data->sample_bytes.value;
    } else if (!flags_.workload.samples.empty()) {
      job.samples = PositiveNumber("--samples", flags_.workload.samples, "1281167");
    } else if (flags_.steps.empty()) {
      throw UsageError("the profile does not say how many samples there are",
                       "give --samples N, or --steps N in place of --epochs");
    }
    if (!flags_.epochs.empty()) job.epochs = PositiveNumber("--epochs", flags_.epochs, "90");
    if (!flags_.steps.empty()) job.steps = PositiveNumber("--steps", flags_.steps, "100000");
    request_.training = job.steps ? fmt::format("{:g} steps", *job.steps)
                                  : fmt::format("{:g} epoch{}", job.epochs, job.epochs == 1 ? "" : "s");
  }

  void ReadRuns() {
    std::vector<KnownRun>& runs = request_.runs;
    for (const std::string& given : flags_.measured) runs.push_back(Measured(given));
    if (!flags_.no_store) {
      std::vector<KnownRun> kept =
          RunsOfStore(Store(StoreFolder(flags_.store, ProcessEnvironment())).List(), catalog_, asked_);
      runs.insert(runs.end(), kept.begin(), kept.end());
    }
    if (!flags_.published.empty()) {
      const std::vector<KnownRun> known =
          PublishedRuns(ReadMeasurementFile(flags_.published), flags_.published, catalog_, asked_);
      runs.insert(runs.end(), known.begin(), known.end());
    }
    // Runs of machines that were not asked for stay away.
    const std::vector<std::size_t>& machines = request_.range.machines;
    std::erase_if(runs, [&](const KnownRun& run) {
      return std::find(machines.begin(), machines.end(), run.machine) == machines.end();
    });
  }

  KnownRun Measured(const std::string& given) const {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("--measured '{}' does not say where", given),
                       "write --measured p3.8xlarge=profile.json");
    }
    const Machine& machine = catalog_.FindMachine(given.substr(0, equals));
    const std::string file = given.substr(equals + 1);
    const Profile profile = ReadProfileAt(file);
    if (!IsOf(profile, asked_)) {
      throw UsageError(
          fmt::format("{} trained {}, not {}", file, Describe(WorkloadOf(profile)), Describe(asked_)),
          "give a profile of the workload that is asked about");
    }
    if (!CountsOn(profile, machine)) {
      throw UsageError(
          fmt::format("{} was measured {}, which says nothing of {}", file,
                      profile.cluster.device == "cpu" ? "on CPUs" : "through an emulated network or disk",
                      machine.name),
          "measure the program on the machine itself with `stallscope run`");
    }
    return RunFromProfile(profile, static_cast<std::size_t>(&machine - catalog_.machines().data()), file);
  }

  void Complete(Recommendation& result) const {
    RecommendedWorkload& workload = result.workload;
    workload.model = name_;
    workload.dtype = request_.plan.precision;
    if (!flags_.workload.dataset.empty())
      workload.dataset = catalog_.FindDataset(flags_.workload.dataset).name;
    if (request_.job.samples > 0) workload.samples = request_.job.samples;
    if (request_.job.steps) {
      workload.steps = request_.job.steps;
    } else {
      workload.epochs = request_.job.epochs;
    }
    if (request_.range.global_batch) {
      workload.global_batch = request_.range.global_batch;
    } else {
      workload.batch_per_device = request_.range.batches;
    }
    const auto given = [](const std::string& text) {
      return text.empty() ? std::nullopt : std::optional(text);
    };
    result.question.provider = given(flags_.provider);
    result.question.region = given(flags_.region);
    result.question.gpu = given(flags_.gpus);
    result.money = {.setup_h = request_.money.setup_h,
                    .storage_usd_gb_month = request_.money.storage_usd_gb_month,
                    .storage_gb = request_.job.dataset_bytes / kBytesPerGb,
                    .interruptions_per_machine_hour = request_.money.interruptions_machine_hour,
                    .assumed = flags_.AssumedMoney()};
    if (request_.runs.empty()) {
      result.notes.emplace_back(
          "no measurement of this workload on these machines is known (store, --measured, --published): "
          "every time "
          "is predicted");
    }
  }

  RecommendFlags flags_;
  Catalog catalog_;
  RecommendRequest request_;
  ScalingParameters scaling_ = ShippedParameters();
  std::string name_;
  AskedWorkload asked_;
  std::optional<Profile> profile_;
  const Gpu* measured_on_ = nullptr;
};

}  // namespace

Recommendation Recommended(const RecommendFlags& flags) {
  return RecommendJob(flags).Run();
}

}  // namespace stallscope
