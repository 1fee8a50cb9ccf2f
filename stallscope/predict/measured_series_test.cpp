#include "stallscope/predict/measured_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/predict/rate_table.h"

namespace stallscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHeader =
    "series,network,seq_len,precision,gpu,gpus_per_node,nodes,total_gpus,batch_per_gpu,data,instance,"
    "interconnect,network_gbps,transport,sync,framework,samples_per_s,source\n";

const Catalog& Shipped() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

/// The only case of a table with this row.
MeasuredCase CaseOf(const std::string& row, const MeasurementDefaults& defaults = {}) {
  const MeasuredTable table(ReadMeasurements(kHeader + row, "table.csv"), Shipped(), defaults);
  return table.series().at(0).cases.at(0);
}

TEST(MeasuredSeries, AStepFollowsFromRateAndBatch) {
  const MeasuredCase row = CaseOf(
      "a,resnet50,,fp32,V100-SXM2-16GB,8,2,16,64,synthetic,,nvlink2-hybrid-cube,100,"
      "rdma,allreduce,PyTorch,5120,x\n");
  // 64 samples on each of 16 GPUs, 5120 per second.
  EXPECT_DOUBLE_EQ(row.step.count(), 0.2);
  EXPECT_THAT(row.assumed, IsEmpty());
  EXPECT_FALSE(row.reason);
  EXPECT_DOUBLE_EQ(row.scaling.network.value, 12.5e9);
}

TEST(MeasuredSeries, BlankColumnsAreFilledAndNamed) {
  const MeasuredCase row = CaseOf("a,resnet50,,,V100-SXM2-16GB,8,2,16,,,,,,,,,5120,x\n");
  EXPECT_THAT(row.assumed, ElementsAre("framework", "precision", "batch_per_gpu", "interconnect",
                                       "network_gbps", "transport"));
  EXPECT_TRUE(row.scaling.assumed.link && row.scaling.assumed.transport && row.scaling.assumed.bandwidth &&
              row.scaling.assumed.batch);
  EXPECT_FALSE(row.reason);
}

TEST(MeasuredSeries, AMachineOfTheCatalogFillsWhatItKnows) {
  const MeasuredCase row = CaseOf("a,vgg16,,fp32,,4,2,8,32,synthetic,p3.8xlarge,,,,,PyTorch,400,x\n");
  EXPECT_THAT(row.assumed, IsEmpty());
  EXPECT_DOUBLE_EQ(row.scaling.network.value, 1.25e9);
  EXPECT_EQ(row.scaling.transport, Transport::kTcp);
  EXPECT_DOUBLE_EQ(row.scaling.inside.wires.value, 75e9);
  EXPECT_DOUBLE_EQ(row.scaling.cpus, 32);
}

TEST(MeasuredSeries, WhatCannotBePredictedSaysWhy) {
  EXPECT_THAT(*CaseOf("a,nosuchnet,,,T4,1,1,1,32,,,,,,,PyTorch,100,x\n").reason, HasSubstr("nosuchnet"));
  EXPECT_THAT(*CaseOf("a,resnet50,,,T4,1,1,1,32,,,,,,,PyTorch,,x\n").reason, HasSubstr("no rate"));
  EXPECT_THAT(*CaseOf("a,resnet50,,,T4,,,,32,,,,,,,PyTorch,100,x\n").reason, HasSubstr("how many GPUs"));
  EXPECT_THAT(*CaseOf("a,resnet50,,,T4,4,2,16,32,,,,,,,PyTorch,100,x\n").reason, HasSubstr("are not 16"));
  EXPECT_THAT(*CaseOf("a,resnet50,,,T4,1,1,1,32,,,,,,gossip,PyTorch,100,x\n").reason, HasSubstr("gossip"));
}

TEST(MeasuredSeries, TheSmallestUsableRowIsKnown) {
  const std::string rows =
      "a,resnet50,,fp32,T4,4,1,4,32,,,,,,,PyTorch,400,x\n"
      "a,resnet50,,fp32,T4,1,1,1,32,,,,,,,PyTorch,,x\n"
      "a,resnet50,,fp32,T4,2,1,2,32,,,,,,,PyTorch,210,x\n";
  const MeasuredTable table(ReadMeasurements(kHeader + rows, "table.csv"), Shipped(), {});
  EXPECT_EQ(table.series().at(0).known, 2U);
}

TEST(MeasuredSeries, TheStackFlagOverrulesTheColumn) {
  const std::string row = "a,resnet50,,fp32,T4,4,1,4,32,,,,,,,PyTorch,400,x\n";
  EXPECT_EQ(CaseOf(row).scaling.stack.name, "pytorch");
  EXPECT_EQ(CaseOf(row, {.stack = "mindspore"}).scaling.stack.name, "mindspore");
}

TEST(MeasuredSeries, OnlyImagesOfRealDataAreDecoded) {
  EXPECT_DOUBLE_EQ(CaseOf("a,resnet50,,fp32,T4,4,1,4,32,real,,,,,,PyTorch,400,x\n").scaling.prepared_per_step,
                   128);
  EXPECT_EQ(CaseOf("a,resnet50,,fp32,T4,4,1,4,32,synthetic,,,,,,PyTorch,400,x\n").scaling.prepared_per_step,
            0);
  EXPECT_EQ(CaseOf("a,bert_base,128,fp32,T4,4,1,4,32,real,,,,,,PyTorch,400,x\n").scaling.prepared_per_step,
            0);
}

TEST(MeasurementTable, NamesLineAndColumnOfWhatIsNoNumber) {
  try {
    ReadMeasurements(std::string(kHeader) + "a,resnet50,,,T4,many,1,1,32,,,,,,,PyTorch,100,x\n", "table.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("table.csv"));
    EXPECT_THAT(error.what(), HasSubstr("gpus_per_node"));
    EXPECT_THAT(error.what(), HasSubstr("2"));
  }
  EXPECT_THROW(ReadMeasurements("network,samples_per_s\nresnet50,1\n", "table.csv"), Error);
  EXPECT_THROW(ReadMeasurements(kHeader, "table.csv"), Error);
  EXPECT_THROW(ReadMeasurementFile("/nowhere.csv"), Error);
}

TEST(SourceGroup, VersionsOfOneTableAreOneSource) {
  EXPECT_EQ(SourceGroup("lambda_v0"), "lambda");
  EXPECT_EQ(SourceGroup("lambda_v12"), "lambda");
  EXPECT_EQ(SourceGroup("my_vgg"), "my_vgg");
}

}  // namespace
}  // namespace stallscope
