#include "stallscope/predict/compute_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"

namespace stallscope {
namespace {

GpuLookup Gpus() {
  static const Catalog catalog = Catalog::Load();
  return SpeedsOf(catalog);
}

PublishedRate Rate(const char* network, const char* gpu, int batch, double samples_per_s,
                   const char* source) {
  PublishedRate rate;
  rate.network = network;
  rate.gpu = gpu;
  rate.samples_per_s = samples_per_s;
  rate.source = source;
  rate.workload = {.batch = batch, .dtype = Dtype::kFp32, .stack = {}, .source = SourceGroup(source)};
  return rate;
}

ComputeParameters Unfitted() {
  ComputeParameters parameters;
  parameters.spreads = UnfittedSpreads();
  return parameters;
}

ComputeEstimate Estimate(const ComputeModel& model, const char* network, const char* gpu, int batch) {
  const Workload workload{.batch = batch, .dtype = Dtype::kFp32, .stack = {}, .source = {}};
  return model.Estimate(BuildNetwork(network, {}), workload, Gpus()(gpu));
}

TEST(ComputeModel, WithoutRatesTheTableAloneSpeaks) {
  const ComputeModel model(Unfitted(), RateTable(), Gpus());
  const ComputeEstimate estimate = Estimate(model, "resnet50", "V100-SXM2-16GB", 64);
  const Workload workload{.batch = 64, .dtype = Dtype::kFp32, .stack = {}, .source = {}};
  const double roofline = RooflineSeconds(
      DemandOf(BuildNetwork("resnet50", {}), workload, Gpus()("V100-SXM2-16GB")), PriorLogs());
  EXPECT_EQ(estimate.basis, ComputeBasis::kTable);
  EXPECT_NEAR(estimate.seconds, roofline, 1e-9);
  EXPECT_GT(estimate.log_sd, std::sqrt(kSpreads * 0.08 * 0.08));  // all seven spreads, and the roofline's own
}

TEST(ComputeModel, ManyAgreeingRatesAreBelieved) {
  RateTable rates;
  for (int i = 0; i < 12; ++i)
    rates.Add(Rate("resnet50", "V100-SXM2-16GB", 64, 300, ("s" + std::to_string(i)).c_str()));
  const ComputeModel model(Unfitted(), rates, Gpus());
  const ComputeEstimate estimate = Estimate(model, "resnet50", "V100-SXM2-16GB", 64);
  EXPECT_EQ(estimate.basis, ComputeBasis::kPublished);
  // 64 / 300 = 213 ms; the roofline pulls by little.
  EXPECT_NEAR(estimate.seconds, 64.0 / 300, 0.05 * 64 / 300);
  // A new source still brings its own spread and noise: sqrt(2) * 0.08 = 0.113 at least.
  EXPECT_GT(estimate.log_sd, 0.113);
  EXPECT_LT(estimate.log_sd, 0.16);
  EXPECT_LT(estimate.low, estimate.seconds);
  EXPECT_NEAR(estimate.high / estimate.seconds, std::exp(1.96 * estimate.log_sd), 1e-9);
}

TEST(ComputeModel, ARateOnOneGpuMovesThePredictionOnAnother) {
  const ComputeModel nothing(Unfitted(), RateTable(), Gpus());
  const double table = Estimate(nothing, "resnet50", "T4", 64).seconds;
  const double own = Estimate(nothing, "resnet50", "V100-SXM2-16GB", 64).seconds;
  RateTable rates;  // three sources find the V100 at half the roofline's speed
  for (const char* source : {"a", "b", "c"})
    rates.Add(Rate("resnet50", "V100-SXM2-16GB", 64, 64 / (2 * own), source));
  const ComputeModel model(Unfitted(), rates, Gpus());
  const ComputeEstimate scaled = Estimate(model, "resnet50", "T4", 64);
  EXPECT_EQ(scaled.basis, ComputeBasis::kOtherGpu);
  EXPECT_GT(scaled.seconds, 1.2 * table);
  EXPECT_LT(scaled.seconds, 2 * table);
  EXPECT_GT(scaled.log_sd, Estimate(model, "resnet50", "V100-SXM2-16GB", 64).log_sd);
}

TEST(ComputeModel, AnotherBatchOfAPublishedNetworkFollowsTheRoofline) {
  RateTable rates;
  for (const char* source : {"a", "b", "c"}) rates.Add(Rate("resnet50", "V100-SXM2-16GB", 64, 320, source));
  const ComputeModel model(Unfitted(), rates, Gpus());
  const double small = Estimate(model, "resnet50", "V100-SXM2-16GB", 8).seconds;
  const double large = Estimate(model, "resnet50", "V100-SXM2-16GB", 64).seconds;
  EXPECT_GT(small, large / 8);  // launches do not shrink with the batch
  EXPECT_LT(small, large);
}

TEST(ComputeModel, SourcesAreLeftOutWhole) {
  EXPECT_EQ(SourceGroup("lambda_v2"), "lambda");
  EXPECT_EQ(SourceGroup("horovod_readme_2017"), "horovod_readme_2017");
  const RateTable shipped = RateTable::Shipped();
  const RateTable others = shipped.WithoutSource("lambda");
  EXPECT_LT(others.rates().size(), shipped.rates().size());
  for (const PublishedRate& rate : others.rates())
    EXPECT_FALSE(rate.source.starts_with("lambda")) << rate.source;
}

TEST(ComputeModel, ShippedRatesArePredictedWithinTheirIntervals) {
  const RateTable rates = RateTable::Shipped();
  const ComputeModel model(ComputeParameters::Shipped(), rates, Gpus());
  int inside = 0;
  for (const PublishedRate& rate : rates.rates()) {
    const Network network = BuildNetwork(rate.network, {rate.image_size, rate.sequence_length, {}});
    Workload workload = rate.workload;
    workload.source.clear();
    const ComputeEstimate estimate = model.Estimate(network, workload, Gpus()(rate.gpu));
    inside += estimate.low <= rate.Seconds() && rate.Seconds() <= estimate.high ? 1 : 0;
    EXPECT_EQ(estimate.basis, ComputeBasis::kPublished);
  }
  EXPECT_GT(inside, 0.93 * static_cast<double>(rates.rates().size()));
}

TEST(ComputeModel, SharesOfLayersSumToOneLessTheOptimiser) {
  const ComputeModel model(ComputeParameters::Shipped(), RateTable::Shipped(), Gpus());
  const Network network = BuildNetwork("resnet50", {});
  const Workload workload{.batch = 64, .dtype = Dtype::kFp32, .stack = {}, .source = {}};
  const std::vector<double> shares = model.LayerShares(network, workload, Gpus()("V100-SXM2-16GB"));
  ASSERT_EQ(shares.size(), network.layers.size());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  EXPECT_LT(sum, 1);
  EXPECT_GT(sum, 0.95);
}

TEST(ComputeParameters, AreReadBackAsTheyWereWritten) {
  const ComputeParameters shipped = ComputeParameters::Shipped();
  const ComputeParameters again = ComputeParameters::Parse(shipped.ToCsv(), "again");
  for (std::size_t i = 0; i < kRooflineTerms; ++i) {
    EXPECT_NEAR(again.logs[i], shipped.logs[i], 1e-5);
    EXPECT_NEAR(again.log_errors[i], shipped.log_errors[i], 1e-4);
  }
  EXPECT_THROW(ComputeParameters::Parse("parameter,value,low,high\nmemory,0.8,0.7,0.9\n", "short"), Error);
  EXPECT_THROW(ComputeParameters::Parse("parameter,value,low,high\nspeed,1,1,1\n", "odd"), Error);
}

TEST(FitComputeParameters, GivesBackWhatMadeTheRates) {
  // Rates made by the roofline with other numbers: convolutions at 0.7, memory at 0.6.
  RooflineLogs truth = PriorLogs();
  truth[static_cast<std::size_t>(RooflineTerm::kConvFp32)] = std::log(0.7);
  truth[static_cast<std::size_t>(RooflineTerm::kMemory)] = std::log(0.6);
  RateTable rates;
  for (const char* network : {"vgg16", "resnet18", "resnet50", "mobilenet_v2", "alexnet"}) {
    for (const char* gpu : {"V100-SXM2-16GB", "K80", "T4", "P100-PCIE-16GB"}) {
      for (const int batch : {16, 128}) {
        PublishedRate rate = Rate(network, gpu, batch, 1, (std::string(network) + gpu).c_str());
        const StepDemand demand = DemandOf(BuildNetwork(network, {}), rate.workload, Gpus()(gpu));
        rate.samples_per_s = batch / RooflineSeconds(demand, truth);
        rates.Add(rate);
      }
    }
  }
  const ComputeParameters fitted = FitComputeParameters(rates, Gpus());
  // Forty rates that share GPUs and networks leave room for the prior: at least half the way, and within the
  // error.
  for (const RooflineTerm term : {RooflineTerm::kConvFp32, RooflineTerm::kMemory}) {
    const auto index = static_cast<std::size_t>(term);
    const double off = std::abs(fitted.logs[index] - truth[index]);
    EXPECT_LT(off, 0.5 * std::abs(PriorLogs()[index] - truth[index])) << RooflineTermName(term);
    EXPECT_LT(off, 1.96 * fitted.log_errors[index]) << RooflineTermName(term);
  }
  // Nothing scatters: the spreads shrink well below what they start from.
  EXPECT_LT(fitted.spreads[static_cast<std::size_t>(ResidualSpread::kNoise)], 0.04);
}

TEST(FitComputeParameters, FindsTheShippedParametersInTheShippedRates) {
  const ComputeParameters fitted = FitComputeParameters(RateTable::Shipped(), Gpus());
  const ComputeParameters shipped = ComputeParameters::Shipped();
  for (std::size_t i = 0; i < kRooflineTerms; ++i) {
    EXPECT_NEAR(fitted.logs[i], shipped.logs[i], 0.01) << RooflineTermName(static_cast<RooflineTerm>(i));
  }
  for (std::size_t i = 0; i < kSpreads; ++i) EXPECT_NEAR(fitted.spreads[i], shipped.spreads[i], 0.003);
}

}  // namespace
}  // namespace stallscope
