// How many predictions a core makes in a second, with their intervals, and how long one of 4,096 devices
// takes; and whether memory stays flat. Prints one JSON object.
#include <fmt/core.h>
#include <malloc.h>
#include <sys/resource.h>

#include <chrono>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/predictor.h"

namespace {

using namespace stallscope;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

struct Speed {
  double per_s = 0;
  double largest_s = 0;  ///< of 4,096 devices
  double allocated = 0;  ///< bytes more on the heap after all predictions
};

/// One network on p3.16xlarge: 8 to 64 devices in turn.
Speed Measure(const char* model, const Catalog& catalog, const ComputeModel& compute, double& sum) {
  TrainingPlan plan;
  plan.model = model;
  plan.batch = 8;
  plan.data = PlannedData{1'281'167, {110e3}, 0.5};
  const Predictor predictor(plan, catalog, compute, ShippedParameters());
  const MachineCandidate candidate = predictor.Prepare(catalog.FindMachine("p3.16xlarge"));
  constexpr int kRounds = 40000;
  const double heap = static_cast<double>(mallinfo2().uordblks);
  double start = Now();
  for (int i = 0; i < kRounds; ++i) sum += predictor.Predict(candidate, 1 << (i % 4)).step_s.high;
  Speed speed;
  speed.per_s = kRounds / (Now() - start);
  speed.allocated = static_cast<double>(mallinfo2().uordblks) - heap;
  start = Now();
  sum += predictor.Predict(candidate, 512).step_s.mean;
  speed.largest_s = Now() - start;
  return speed;
}

/// Every machine of the catalog that can be predicted, on 1 to 32 of them, as recommending does it.
void MeasureCatalog(const Catalog& catalog, const ComputeModel& compute, double& sum) {
  TrainingPlan plan;
  plan.model = "resnet50";
  plan.data = PlannedData{1'281'167, {110e3}, std::nullopt};
  const double start = Now();
  int machines = 0;
  int candidates = 0;
  const Predictor predictor(plan, catalog, compute, ShippedParameters());
  for (const Machine& machine : catalog.machines()) {
    try {
      const MachineCandidate candidate = predictor.Prepare(machine);
      ++machines;
      for (int nodes = 1; nodes <= 32; ++nodes, ++candidates) {
        sum += predictor.Predict(candidate, nodes).step_s.mean;
      }
    } catch (const Error&) {
      continue;  // a GPU whose rates nobody knows
    }
  }
  const double seconds = Now() - start;
  fmt::print(
      "\"catalog\": {{\"machines\": {}, \"candidates\": {}, \"seconds\": {:.4f}, \"per_s\": {:.0f}}}, ",
      machines, candidates, seconds, candidates / seconds);
}

}  // namespace

int main() {
  const Catalog catalog = Catalog::Load();
  const ComputeModel compute(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(catalog));
  double sum = 0;
  fmt::print("{{");
  for (const char* model : {"resnet50", "vgg16", "bert_large"}) {
    const Speed speed = Measure(model, catalog, compute, sum);
    fmt::print(
        "\"{}\": {{\"predictions_with_interval_per_s\": {:.0f}, \"devices_4096_s\": {:.6f}, "
        "\"heap_growth_bytes\": {:.0f}}}, ",
        model, speed.per_s, speed.largest_s, speed.allocated);
  }
  MeasureCatalog(catalog, compute, sum);
  fmt::print("\"peak_memory_mb\": {:.1f}, \"checksum\": {:.6g}}}\n", PeakMegabytes(), sum);
}
