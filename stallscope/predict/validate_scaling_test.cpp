#include "stallscope/predict/validate_scaling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iostream>

#include "stallscope/base/error.h"
#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

constexpr const char* kHeader =
    "series,network,precision,gpu,gpus_per_node,nodes,total_gpus,batch_per_gpu,interconnect,network_gbps,"
    "transport,sync,framework,samples_per_s,source\n";

const std::filesystem::path kRepository = std::filesystem::path(__FILE__).parent_path() / "../..";

/// Beside the checkout, where tables of published measurements lie.
std::string SharedTable() {
  return kRepository / "../shared/data/measurements/multi_gpu.csv";
}

class PublishedRates : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(SharedTable())) GTEST_SKIP() << "there is no " << SharedTable();
  }
};

TEST_F(PublishedRates, ArePredictedWithoutTheirSourceAsWellAsPromised) {
  const MeasuredTable table(ReadMeasurementFile(SharedTable()), Catalog::Load(), {});
  const Validation validation = CrossValidateScaling(table);
  const ErrorMeasures& all = *validation.all_reduce;
  std::cout << "MAPE " << all.mape << ", several machines " << validation.several_nodes->mape << ", inside "
            << all.coverage << ", half-width " << all.half_width << '\n';
  EXPECT_LE(all.mape, 0.06);
  EXPECT_LE(validation.several_nodes->mape, 0.13);
  EXPECT_GE(all.coverage, 0.88);
  EXPECT_LE(all.coverage, 0.98);
  EXPECT_LE(all.half_width, 0.15);
  for (const ErrorGroup& group : validation.groups) {
    if (group.by != "source" || group.measures.rows < 30) continue;
    EXPECT_GE(group.measures.coverage, 0.75) << group.name;
  }
  // What the table's own page says of rules without a model.
  EXPECT_NEAR(*validation.perfect_scaling_mape, 0.13, 0.005);
  EXPECT_NEAR(*validation.constant_mape, 0.10, 0.005);
  EXPECT_EQ(validation.rows.size(), 825U);
  EXPECT_EQ(validation.parameters.size(), 7U);
}

TEST_F(PublishedRates, AreWhatTheShippedParametersWereFittedOn) {
  const MeasuredTable table(ReadMeasurementFile(SharedTable()), Catalog::Load(), {});
  const ScalingParameters fit = FitToTable(table);
  const ScalingParameters& shipped = ShippedParameters();
  for (std::size_t i = 0; i < kFittedParameters; ++i) {
    EXPECT_NEAR(shipped.values[i], fit.values[i], 0.02) << AllParameters()[i].name;
  }
  EXPECT_NEAR(shipped.interval_factor, fit.interval_factor, 0.05);
  EXPECT_EQ(shipped.rows, fit.rows);
}

/// Two networks on clusters that the catalog does not have: nothing is dropped, and all numbers are finite.
constexpr const char* kStrangers =
    "s,vgg16,fp32,FutureGPU,8,1,8,32,nvswitch,,,allreduce,JAX 9,4000,x\n"
    "s,vgg16,fp32,FutureGPU,8,4,32,32,nvswitch,800,rdma,allreduce,JAX 9,15000,x\n"
    "t,gpt2,amp,K80,1,1,1,,pcie,,,,,3,y\n"
    "t,gpt2,amp,K80,16,1,16,,,,,,,20,y\n"
    "t,nosuchnet,amp,K80,16,1,16,,,,,,,20,y\n"
    "u,mobilenet_v2,fp32,T4,1,1,1,96,none,10,tcp,allreduce,PyTorch,900,y\n"
    "u,mobilenet_v2,fp32,T4,1,4096,4096,96,none,10,tcp,allreduce,PyTorch,3000000,y\n";

TEST(ValidateScaling, StrangeHardwareIsDescribedByItsRow) {
  const MeasuredTable table(ReadMeasurements(std::string(kHeader) + kStrangers, "t.csv"), Catalog::Load(),
                            {});
  Validation validation = ValidateScaling(table, ShippedParameters());
  ASSERT_EQ(validation.rows.size(), 7U);
  EXPECT_TRUE(validation.rows[0].known);
  EXPECT_FALSE(validation.rows[0].predicted);
  for (int predicted : {1, 3, 6}) {
    const ValidatedRow& row = validation.rows[static_cast<std::size_t>(predicted)];
    ASSERT_TRUE(row.predicted) << row.reason.value_or("");
    EXPECT_TRUE(std::isfinite(*row.predicted));
    EXPECT_LT(*row.low, *row.predicted);
    EXPECT_GT(*row.high, *row.predicted);
    // No cluster is faster than its GPUs alone.
    const ValidatedRow& known = validation.rows[static_cast<std::size_t>(predicted) - 1];
    EXPECT_LE(*row.predicted, *known.measured * row.total_gpus / known.total_gpus);
  }
  EXPECT_EQ(validation.unpredicted, 1);
  EXPECT_TRUE(validation.rows[4].reason);
  validation.created = "2026-01-01T00:00:00Z";
  validation.host.name = "here";
  validation.host.kernel = "6";
  EXPECT_EQ(
      SchemaViolation(Json::parse(ToJson(validation)), kRepository / "docs/schema/validation-1.schema.json"),
      "");
}

TEST(ValidateScaling, ABlankColumnWidensTheInterval) {
  const auto width = [](const char* transport) {
    const std::string rows =
        std::string(kHeader) +
        "s,vgg16,fp32,V100-SXM2-16GB,1,1,1,32,nvlink2-hybrid-cube,100,rdma,allreduce,PyTorch,230,x\n"
        "s,vgg16,fp32,V100-SXM2-16GB,8,2,16,32,nvlink2-hybrid-cube,100," +
        transport + ",allreduce,PyTorch,2500,x\n";
    const MeasuredTable table(ReadMeasurements(rows, "t.csv"), Catalog::Load(), {});
    const ValidatedRow row = ValidateScaling(table, ShippedParameters()).rows.at(1);
    return std::log(*row.high / *row.low);
  };
  EXPECT_GT(width(""), 1.1 * width("rdma"));
}

TEST(ValidateScaling, OneSourceCannotBeLeftOut) {
  const std::string rows = std::string(kHeader) + "s,vgg16,fp32,T4,1,1,1,32,pcie,,,allreduce,PyTorch,100,x\n";
  const MeasuredTable table(ReadMeasurements(rows, "t.csv"), Catalog::Load(), {});
  EXPECT_THROW(CrossValidateScaling(table), Error);
}

TEST(ScalingFit, FindsTheParametersThatMadeTheRows) {
  // Rows made by the model itself with a host staging rate of 3 GB/s, far from the prior's 6.
  const auto index = static_cast<std::size_t>(Parameter::kHostStagingRate);
  ParameterValues truth = PriorValues();
  truth[index] = std::log(3.0);
  std::string rows = kHeader;
  for (const char* network :
       {"vgg11", "vgg13", "vgg16", "vgg19", "alexnet", "bert_base", "bert_large", "gpt2"}) {
    for (int gpus : {1, 2, 4}) {
      rows += fmt::format("{0},{0},fp32,V100-SXM2-16GB,{1},1,{1},64,host,,,allreduce,PyTorch,{2},x\n",
                          network, gpus, 64.0 * gpus);
    }
  }
  std::vector<Measurement> table = ReadMeasurements(rows, "t.csv");
  const MeasuredTable cases(table, Catalog::Load(), {});
  for (const MeasuredSeries& series : cases.series()) {
    for (const MeasuredCase& target : series.cases) {
      const Seconds step = ScaledStepTime(series.cases[0].scaling, Seconds(1), target.scaling, truth);
      table[static_cast<std::size_t>(target.row.line) - 2].samples_per_s =
          target.batch * target.scaling.ranks() / step.count();
    }
  }
  const ScalingParameters fit = FitToTable(MeasuredTable(table, Catalog::Load(), {}));
  // The prior still pulls a little.
  EXPECT_NEAR(std::exp(fit.values[index]), 3.0, 0.5);
}

}  // namespace
}  // namespace stallscope
