#include "app/commands/predict_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands/predict_card.h"
#include "app/machine_file.h"
#include "app/profile_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/machine_card_entry.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/prediction_document.h"
#include "stallscope/predict/profiled_workload.h"
#include "stallscope/predict/stack.h"

namespace stallscope {
namespace {

/// A workload, ready for any machine with GPUs.
class PredictJob {
 public:
  explicit PredictJob(const PredictFlags& flags)
      : flags_(flags), catalog_(flags.catalog.Load()), change_(flags.Change(catalog_)) {
    if (flags.profile.empty()) {
      ReadModel();
    } else {
      ReadProfile();
    }
    compute_ = std::make_unique<ComputeModel>(ComputeParameters::Shipped(), RateTable::Shipped(),
                                              SpeedsOf(catalog_));
  }

  Prediction Run() {
    Prediction prediction;
    prediction.workload = workload_;
    const std::vector<Machine> machines = Machines();
    for (const Machine& machine : machines) {
      try {
        prediction.choices.push_back(Choose(machine));
      } catch (const UsageError&) {
        throw;
      } catch (const Error& e) {
        if (machines.size() == 1) throw;
        prediction.refused.push_back({machine.name, plan_.nodes, e.what(), e.hint});
      }
    }
    if (prediction.choices.empty()) {
      const RefusedMachine& first = prediction.refused.front();
      throw Error(fmt::format("none of the {} machines can be predicted; of {}: {}", machines.size(),
                              first.instance, first.reason),
                  first.fix);
    }
    return prediction;
  }

 private:
  void ReadModel() {
    const Network network = BuildNetwork(flags_.model, flags_.Options());
    plan_ = flags_.Plan(network, catalog_);
    images_ = network.sample_kind == SampleKind::kImage;
    const StackGuess stack = StackOf(plan_.stack);
    const NetworkTotals totals = Totals(network);
    workload_.model = network.name;
    workload_.parameters = totals.parameters;
    workload_.gradient_bytes =
        static_cast<std::int64_t>(static_cast<double>(totals.parameters) *
                                  GradientBytes(stack.stack, plan_.precision, network.sample_kind));
    (images_ ? workload_.image_size : workload_.sequence_length) = network.sample_shape.back();
    if (!flags_.dataset.empty()) workload_.dataset = catalog_.FindDataset(flags_.dataset).name;
    FinishWorkload();
  }

  void ReadProfile() {
    profile_ = ReadProfileAt(flags_.profile);
    RequireGpuProfile(
        *profile_, flags_.profile,
        "measure the program on a GPU with `stallscope run`, or give --model in place of --profile");
    plan_ = PlanFromProfile(*profile_, flags_.profile);
    plan_.nodes = flags_.nodes;
    if (!flags_.stack.empty()) plan_.stack = flags_.stack;
    images_ = plan_.measured->kind == SampleKind::kImage;
    if (plan_.data) plan_.data->cached_share = flags_.CachedShare();
    const auto length = SampleTokens(*profile_, plan_.measured->kind);
    if (const auto given = flags_.Data(plan_.model, length, catalog_)) plan_.data = given;
    measured_on_ = &flags_.MeasuredOn(catalog_);
    scaling_ = WithMeasuredLoader(scaling_, *profile_);
    const WorkloadInfo& measured = profile_->workload;
    workload_.model = measured.model;
    workload_.profile = flags_.profile;
    workload_.parameters = measured.parameters;
    workload_.gradient_bytes = measured.gradient_bytes;
    workload_.image_size = measured.image_size;
    workload_.sequence_length = measured.sequence_length;
    FinishWorkload();
  }

  void FinishWorkload() {
    workload_.batch_per_device = plan_.batch;
    workload_.dtype = plan_.precision;
    workload_.stack = StackOf(plan_.stack).stack.name;
    if (!plan_.data) return;
    workload_.samples = plan_.data->samples;
    workload_.sample_bytes = plan_.data->sample_bytes.value;
  }

  std::vector<Machine> Machines() const {
    if (!flags_.machine.empty()) {
      Machine machine = MachineFromCard(ToJson(ReadMachineAt(flags_.machine)), flags_.machine);
      if (machine.gpus <= 0) {
        throw Error(
            fmt::format("the machine of {} has no GPU, and nobody published what networks take on its "
                        "processors",
                        flags_.machine),
            "measure the workload there with `stallscope profile`, and give --profile");
      }
      // The driver counts memory to the byte; the catalog's figure is the one that batches are held against.
      if (ResolveGpu(catalog_, machine.gpu)) machine.gpu_memory.reset();
      return {machine};
    }
    std::vector<Machine> machines;
    for (const std::string& name : flags_.Instances()) machines.push_back(catalog_.FindMachine(name));
    return machines;
  }

  /// A slice has its share of the GPU's rates.
  static GpuSpeed Target(const Machine& machine, const Gpu& gpu) {
    GpuSpeed speed = SpeedOf(gpu);
    const double share = std::min(1.0, machine.gpus);
    for (double* rate : {&speed.fp32, &speed.tf32, &speed.tensor, &speed.memory_bandwidth}) *rate *= share;
    return speed;
  }

  /// The prediction, and what its compute time rests on where that was measured.
  std::pair<TrainingPrediction, std::string> PredictOn(const Machine& machine, TrainingPlan plan) const {
    if (!profile_) return {PredictTraining(plan, machine, catalog_, *compute_, scaling_), ""};
    const std::optional<ResolvedGpu> gpu = ResolveGpu(catalog_, machine.gpu);
    std::string basis;
    if (gpu) {
      const ScaledCompute scaled = ScaleCompute(*profile_, plan.measured->compute, *measured_on_,
                                                Target(machine, *gpu->gpu), catalog_);
      plan.measured->compute = scaled.estimate;
      basis = scaled.as_measured ? kBasisMeasured : kBasisScaled;
    }
    return {PredictTraining(plan, machine, catalog_, *compute_, scaling_), basis};
  }

  PredictedMachine Document(const Machine& machine, const TrainingPrediction& prediction,
                            const std::string& compute_basis, bool for_rent) const {
    const bool measured_loader = profile_ && profile_->loader;
    return ToDocument(
        prediction,
        {.machine = machine,
         .scaling = scaling_,
         .nodes = plan_.nodes,
         .images = images_,
         .compute_basis = compute_basis,
         .loader_basis = measured_loader ? kBasisScaled : "",
         .not_for_rent = for_rent ? std::nullopt
                                  : std::optional<std::string>(fmt::format("nobody rents out {} with {}",
                                                                           machine.name, machine.gpu)),
         .today = UtcNow()});
  }

  PredictedChoice Choose(const Machine& machine) const {
    const auto [plain, basis] = PredictOn(machine, plan_);
    PredictedChoice choice{.plain = Document(machine, plain, basis, true), .what_if = {}};
    if (!change_.Any()) return choice;
    const Machine other = Changed(machine, change_);
    TrainingPlan plan = plan_;
    if (change_.workers) plan.workers = change_.workers;
    const auto [changed, changed_basis] = PredictOn(other, plan);
    const bool same_gpu = change_.gpu.empty() || change_.gpu == plain.gpu;
    choice.what_if = PredictedChange{.what = Describe(change_),
                                     .step_time_change = StepTimeChange(plain, changed, change_),
                                     .changed = Document(other, changed, changed_basis, same_gpu)};
    return choice;
  }

  const PredictFlags& flags_;
  Catalog catalog_;
  WhatIf change_;
  ScalingParameters scaling_ = ShippedParameters();
  TrainingPlan plan_;
  bool images_ = true;
  PredictedWorkload workload_;
  std::optional<Profile> profile_;
  const Gpu* measured_on_ = nullptr;
  std::unique_ptr<ComputeModel> compute_;
};

}  // namespace

Prediction Predicted(const PredictFlags& flags) {
  if (!flags.profile.empty() && !flags.machine.empty()) {
    const Profile profile = ReadProfileAt(flags.profile);
    const MachineCard card = ReadMachineAt(flags.machine);
    if (profile.cluster.device == "cpu" && GpuCount(card).value_or(0) == 0) {
      return PredictedOnCard(flags, profile, card);
    }
  }
  return PredictJob(flags).Run();
}

}  // namespace stallscope
