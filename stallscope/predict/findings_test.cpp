#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/training_prediction.h"

// What measurements on rented machines found (docs/models.md, "Findings"), out of the catalog alone. The
// numbers are printed; what does not come out is asserted as it is.

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

struct Setup {
  const char* model;
  const char* instance;
  int nodes = 1;
  int batch = 32;
  std::optional<int> gpus = {};
  bool imagenet = false;
};

TrainingPrediction Predict(const Setup& setup) {
  static const ComputeModel model(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(Facts()));
  TrainingPlan plan;
  plan.model = setup.model;
  plan.instance = setup.instance;
  plan.nodes = setup.nodes;
  plan.batch = setup.batch;
  plan.gpus = setup.gpus;
  if (setup.imagenet) {
    const DatasetPreset& imagenet = Facts().FindDataset("imagenet");
    plan.data = PlannedData{static_cast<double>(imagenet.samples), imagenet.sample_bytes, std::nullopt};
  }
  return PredictTraining(plan, Facts(), model, ShippedParameters());
}

double InterconnectShare(const TrainingPrediction& prediction) {
  return prediction.interconnect_s.mean / prediction.step_s.mean;
}

TEST(PublishedFindings, TheInterconnectOfP2IsTheLargerPartOfAStepForAlexNetAndNotForVgg11) {
  const double alexnet = InterconnectShare(Predict({"alexnet", "p2.16xlarge"}));
  const double vgg11 = InterconnectShare(Predict({"vgg11", "p2.16xlarge"}));
  fmt::print("p2.16xlarge, batch 32: interconnect {:.0f} % of AlexNet's step, {:.0f} % of VGG-11's\n",
             100 * alexnet, 100 * vgg11);
  EXPECT_GT(alexnet, 0.5);
  // VGG-11 reduces twice the gradients, and computes nine times as long on a K80: it does not come out.
  EXPECT_LT(vgg11, 0.5);
  for (const char* network : {"alexnet", "vgg11", "resnet18", "resnet50"}) {
    const double old = InterconnectShare(Predict({network, "p2.16xlarge"}));
    const double nvlink = InterconnectShare(Predict({network, "p3.16xlarge"}));
    fmt::print("{}: interconnect {:.0f} % of a step on p2.16xlarge, {:.0f} % on p3.16xlarge\n", network,
               100 * old, 100 * nvlink);
    // Although its GPUs compute several times as long.
    EXPECT_GT(old, 2 * nvlink) << network;
  }
}

TEST(PublishedFindings, TwoSmallMachinesOverTenGigabitAreSeveralTimesSlowerThanOneBigOneForVgg11) {
  const double two = Predict({"vgg11", "p3.8xlarge", 2}).step_s.mean;
  const double one = Predict({"vgg11", "p3.16xlarge", 1}).step_s.mean;
  fmt::print("VGG-11 on 8 V100, batch 32: 2 x p3.8xlarge {:.0f} ms, p3.16xlarge {:.0f} ms, {:.1f} times\n",
             1e3 * two, 1e3 * one, two / one);
  EXPECT_GT(two, 3 * one);
}

TEST(PublishedFindings, TheSlicedNvlinkOfP3CostsMoreThanFourGpusOfAWholeBoard) {
  for (const char* network : {"alexnet", "vgg11", "resnet50"}) {
    const TrainingPrediction sliced = Predict({network, "p3.8xlarge"});
    const TrainingPrediction whole = Predict({network, "p3.16xlarge", 1, 32, 4});
    fmt::print("{} on 4 V100: interconnect {:.1f} ms on p3.8xlarge, {:.1f} ms on half of a p3.16xlarge\n",
               network, 1e3 * sliced.interconnect_s.mean, 1e3 * whole.interconnect_s.mean);
    EXPECT_EQ(sliced.devices, whole.devices);
    EXPECT_GT(sliced.interconnect_s.mean, 1.05 * whole.interconnect_s.mean) << network;
    // More GPUs on the whole board wait less than fewer on the slice.
    EXPECT_GT(sliced.interconnect_s.mean, Predict({network, "p3.16xlarge"}).interconnect_s.mean) << network;
  }
}

TEST(PublishedFindings, TheDearestMachineIsNotTheCheapestPerEpochForEveryNetwork) {
  constexpr std::array kMachines = {"p3.2xlarge",  "p3.8xlarge",  "p3.16xlarge", "g4dn.12xlarge",
                                    "g5.12xlarge", "g6.12xlarge", "p4d.24xlarge"};
  int not_cheapest = 0;
  for (const char* network : {"mobilenet_v2", "resnet18", "resnet50", "vgg11"}) {
    const char* cheapest = nullptr;
    const char* dearest = nullptr;
    double least_usd = 0;
    double most_per_hour = 0;
    double dearest_usd = 0;
    for (const char* machine : kMachines) {
      const TrainingPrediction p = Predict({network, machine, 1, 32, {}, true});
      ASSERT_TRUE(p.epoch_usd && p.price) << machine;
      const double usd = p.epoch_usd->mean;
      if (!cheapest || usd < least_usd) {
        cheapest = machine;
        least_usd = usd;
      }
      if (*p.price->on_demand_usd_hour > most_per_hour) {
        dearest = machine;
        most_per_hour = *p.price->on_demand_usd_hour;
        dearest_usd = usd;
      }
    }
    fmt::print(
        "{}: an epoch of ImageNet is cheapest on {} ({:.2f} USD); the dearest by the hour, {} at {:.2f} "
        "USD, takes {:.2f} USD\n",
        network, cheapest, least_usd, dearest, most_per_hour, dearest_usd);
    if (least_usd < 0.95 * dearest_usd) ++not_cheapest;
  }
  EXPECT_GE(not_cheapest, 1);
}

}  // namespace
}  // namespace stallscope
