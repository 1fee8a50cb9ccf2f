#pragma once

#include "stallscope/document/prediction.h"

namespace stallscope {

/// A step of 200 ms on two machines: 120 ms compute, 10 interconnect, 50 network, 20 prep, nothing for disks.
inline PredictedMachine FullMachine() {
  const auto part = [](double seconds, const char* basis) {
    return PredictedPart{{seconds, 0.9 * seconds, 1.2 * seconds}, seconds / 0.2, basis, "somewhere"};
  };
  PredictedMachine machine{.instance = "p3.8xlarge",
                           .provider = "aws",
                           .gpu = "V100-SXM2-16GB",
                           .description = "NVLink inside; TCP over 10 Gbit between",
                           .nodes = 2,
                           .devices_per_node = 4,
                           .step_time_s = {0.2, 0.18, 0.24},
                           .samples_per_s = {1280, 1066, 1422},
                           .compute = part(0.12, kBasisPublished)};
  machine.interconnect = part(0.01, kBasisScaled);
  machine.network = part(0.05, kBasisScaled);
  machine.prep = part(0.02, kBasisScaled);
  machine.fetch = part(0, kBasisTable);
  machine.cached_share = 0.5;
  machine.epoch_time_s = Estimate{1000, 900, 1200};
  machine.epoch_cost_usd = Estimate{6.8, 6.12, 8.16};
  machine.price = PredictedPrice{12.24, 2, "us-east-1", "2026-03-31", true, "the machines alone"};
  machine.basis = kBasisScaled;
  machine.assumed = {"transport"};
  return machine;
}

/// One machine without data.
inline PredictedMachine BareMachine() {
  PredictedMachine machine = FullMachine();
  machine.instance = "p3.16xlarge";
  machine.nodes = 1;
  machine.network.reset();
  machine.prep.reset();
  machine.fetch.reset();
  machine.cached_share.reset();
  machine.epoch_time_s.reset();
  machine.epoch_cost_usd.reset();
  machine.price.reset();
  machine.assumed.clear();
  machine.absent = {{"network", "one machine"},
                    {"prep", "no data set is given"},
                    {"fetch", "no data set is given"},
                    {"epoch", "no data set is given"}};
  return machine;
}

inline Prediction PredictionOf(std::vector<PredictedChoice> choices) {
  Prediction prediction;
  prediction.tool.version = "0.1.0";
  prediction.created = "2026-11-17T23:54:44Z";
  prediction.argv = {"stallscope", "predict"};
  prediction.host = {.name = "amber", .kernel = "6.1"};
  prediction.workload = {.model = "resnet50",
                         .parameters = 25'557'032,
                         .gradient_bytes = 102'228'128,
                         .batch_per_device = 32,
                         .dtype = "fp32",
                         .stack = "pytorch"};
  prediction.choices = std::move(choices);
  return prediction;
}

}  // namespace stallscope
