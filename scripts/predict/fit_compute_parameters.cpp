// Fits the compute model to the shipped rates and writes data/predict/compute_parameters.csv to standard
// output:
//   cmake --build build --target fit_compute_parameters && build/fit_compute_parameters >
//   data/predict/compute_parameters.csv
// With --cv it leaves out one source after the other, predicts its rates, and prints how far off they are.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "stallscope/base/error.h"
#include "stallscope/predict/compute_model.h"
#include "stallscope/predict/gpu_names.h"

using namespace stallscope;

namespace {

struct Outcome {
  std::string source;
  ComputeBasis basis;
  double error;  ///< predicted over measured rate, less one
  double log_sd;
  bool inside;
};

void Print(const std::string& name, std::vector<Outcome> outcomes) {
  if (outcomes.empty()) return;
  std::vector<double> errors;
  std::vector<double> widths;
  double inside = 0;
  double sum = 0;
  for (const Outcome& outcome : outcomes) {
    errors.push_back(std::abs(outcome.error));
    widths.push_back(std::expm1(1.96 * outcome.log_sd));
    sum += errors.back();
    inside += outcome.inside ? 1 : 0;
  }
  std::sort(errors.begin(), errors.end());
  std::sort(widths.begin(), widths.end());
  const auto count = static_cast<double>(errors.size());
  std::cout << fmt::format(
      "{:24} {:4} rates: median {:5.1f} %, mean {:5.1f} %, inside {:5.1f} %, median width +{:.0f} %\n", name,
      errors.size(), 100 * errors[errors.size() / 2], 100 * sum / count, 100 * inside / count,
      100 * widths[widths.size() / 2]);
}

void CrossValidate(const RateTable& rates, const GpuLookup& gpus) {
  std::vector<Outcome> outcomes;
  for (const std::string& source : rates.Sources()) {
    const RateTable others = rates.WithoutSource(source);
    const ComputeModel model(FitComputeParameters(others, gpus), others, gpus);
    for (const PublishedRate& rate : rates.rates()) {
      if (rate.workload.source != source) continue;
      const Network network = BuildNetwork(rate.network, {rate.image_size, rate.sequence_length, {}});
      Workload workload = rate.workload;
      workload.source.clear();
      const ComputeEstimate estimate = model.Estimate(network, workload, gpus(rate.gpu));
      const double seconds = rate.Seconds();
      outcomes.push_back({source, estimate.basis, seconds / estimate.seconds - 1, estimate.log_sd,
                          estimate.low <= seconds && seconds <= estimate.high});
    }
  }
  const auto part = [&](auto choice) {
    std::vector<Outcome> chosen;
    std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(chosen), choice);
    return chosen;
  };
  Print("all", outcomes);
  for (const auto basis : {ComputeBasis::kPublished, ComputeBasis::kOtherGpu, ComputeBasis::kTable}) {
    Print(BasisName(basis), part([&](const Outcome& outcome) { return outcome.basis == basis; }));
  }
  for (const std::string& source : rates.Sources()) {
    Print(source, part([&](const Outcome& outcome) { return outcome.source == source; }));
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const RateTable rates = RateTable::Shipped();
  const GpuLookup gpus = SpeedsOf(Catalog::Load());
  if (count > 1 && std::string(arguments[1]) == "--cv") {
    CrossValidate(rates, gpus);
  } else {
    std::cout << FitComputeParameters(rates, gpus).ToCsv();
  }
  return 0;
} catch (const Error& error) {
  std::cerr << "error: " << error.what() << "\n  try: " << error.hint << '\n';
  return 1;
}
