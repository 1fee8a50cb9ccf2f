#include "stallscope/predict/validate_absolute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iostream>

#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

constexpr const char* kHeader =
    "series,network,precision,gpu,gpus_per_node,nodes,total_gpus,batch_per_gpu,interconnect,network_gbps,"
    "transport,sync,framework,samples_per_s,source\n";

const std::filesystem::path kRepository = std::filesystem::path(__FILE__).parent_path() / "../..";

void Silent(const std::string&) {}

Validation Validated(const std::string& rows) {
  const MeasuredTable table(ReadMeasurements(kHeader + rows, "t.csv"), Catalog::Load(), {});
  return ValidateAbsolute(table, false, Silent);
}

TEST(ValidateAbsolute, PredictsEveryRowAndSaysOnWhatBasis) {
  Validation validation = Validated(
      "s,resnet50,fp32,V100-SXM2-16GB,1,1,1,64,none,,,allreduce,PyTorch,350,nobody\n"
      "s,resnet50,fp32,V100-SXM2-16GB,8,2,16,64,nvlink2-hybrid-cube,25,tcp,allreduce,PyTorch,4000,nobody\n"
      "t,vgg16,fp32,K80,4,1,4,32,pcie,,,allreduce,PyTorch,100,nobody\n");
  ASSERT_EQ(validation.rows.size(), 3U);
  for (const ValidatedRow& row : validation.rows) {
    EXPECT_FALSE(row.known);
    ASSERT_TRUE(row.predicted) << row.reason.value_or("");
    EXPECT_LT(*row.low, *row.predicted);
    EXPECT_LT(*row.predicted, *row.high);
    EXPECT_TRUE(row.basis);
  }
  EXPECT_EQ(*validation.rows[0].basis, "same GPU and network");
  // 16 GPUs over a network are slower than 16 times one.
  EXPECT_LT(*validation.rows[1].predicted, 16 * *validation.rows[0].predicted);
  validation.created = "2026-01-01T00:00:00Z";
  validation.host.name = "here";
  validation.host.kernel = "6";
  EXPECT_EQ(
      SchemaViolation(Json::parse(ToJson(validation)), kRepository / "docs/schema/validation-1.schema.json"),
      "");
}

TEST(ValidateAbsolute, AGpuWithoutFactsIsAReasonNotAGuess) {
  const Validation validation =
      Validated("s,resnet50,fp32,FutureGPU,1,1,1,64,none,,,allreduce,PyTorch,350,nobody\n");
  EXPECT_THAT(*validation.rows.at(0).reason, testing::HasSubstr("FutureGPU"));
  EXPECT_FALSE(validation.rows.at(0).predicted);
  EXPECT_FALSE(validation.all_reduce);
}

TEST(ValidateAbsolute, PublishedRatesAreMetWithoutTheirSource) {
  const std::filesystem::path file = kRepository / "../shared/data/measurements/multi_gpu.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no " << file;
  const MeasuredTable table(ReadMeasurementFile(file), Catalog::Load(), {});
  const Validation validation = ValidateAbsolute(table, false, Silent);
  std::cout << "median " << validation.all_reduce->median << ", mean " << validation.all_reduce->mape
            << ", inside " << validation.all_reduce->coverage << '\n';
  EXPECT_LE(validation.all_reduce->median, 0.12);
  EXPECT_LE(validation.all_reduce->mape, 0.22);
  for (const ErrorGroup& group : validation.groups) {
    if (group.by != "basis") continue;
    std::cout << group.name << ": " << group.measures.median << '\n';
    EXPECT_LE(group.measures.median, group.name == "same GPU and network" ? 0.10 : 0.20) << group.name;
  }
}

}  // namespace
}  // namespace stallscope
