#include "stallscope/catalog/catalog.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "stallscope/base/error.h"
#include "stallscope/catalog/check.h"
#include "stallscope/catalog/expected.h"

namespace stallscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsNull;
using testing::NotNull;

const Catalog& Shipped() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

std::filesystem::path Written(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / fmt::format("{}-{}", getpid(), name);
  std::ofstream(path) << text;
  return path;
}

std::string HintFor(const std::string& name) {
  try {
    Shipped().FindMachine(name);
  } catch (const UsageError& error) {
    return error.hint;
  }
  return "none";
}

TEST(ShippedCatalog, EveryRowIsSoundAndEveryNameLeadsSomewhere) {
  const CatalogCheck check = CheckCatalog({});
  EXPECT_GT(check.rows, 1000U);
  for (const CatalogProblem& problem : check.problems) EXPECT_FALSE(problem.is_error) << problem.what;
}

TEST(ShippedCatalog, EveryMachineWithSeveralKnownGpusHasATopologyThatHoldsTogether) {
  int found = 0;
  for (const Machine& machine : Shipped().machines()) {
    const auto topology = Shipped().TopologyOf(machine);
    if (!topology) continue;
    ++found;
    CheckTopology(*topology);
    EXPECT_EQ(topology->All(NodeKind::kGpu).size(), static_cast<std::size_t>(machine.gpus)) << machine.name;
    for (int i = 0; i < static_cast<int>(machine.gpus); ++i)
      EXPECT_EQ(topology->nodes[i].name, "gpu" + std::to_string(i));
  }
  EXPECT_GT(found, 180);
  for (const char* name : {"p2.8xlarge",
                           "p2.16xlarge",
                           "p3.8xlarge",
                           "p3.16xlarge",
                           "p3dn.24xlarge",
                           "p4d.24xlarge",
                           "p4de.24xlarge",
                           "p5.48xlarge",
                           "g4dn.12xlarge",
                           "g5.48xlarge",
                           "g6.48xlarge",
                           "g6e.48xlarge",
                           "n1-standard-64+8xV100",
                           "a2-highgpu-8g",
                           "a3-highgpu-8g",
                           "Standard_ND40rs_v2",
                           "Standard_ND96asr_v4",
                           "Standard_ND96isr_H100_v5",
                           "DGX-1",
                           "DGX-1-P100",
                           "DGX-2",
                           "DGX-A100"}) {
    const auto topology = Shipped().TopologyOf(Shipped().FindMachine(name));
    ASSERT_TRUE(topology) << name;
    EXPECT_FALSE(topology->by_class) << name;
  }
}

TEST(ShippedCatalog, NvlinkRatesAreOneWay) {
  // AWS prints 600 GB/s for p4d: both directions.
  EXPECT_EQ(Shipped().FindMachine("p4d.24xlarge").interconnect_one_way->value, 300e9);
  EXPECT_EQ(Shipped().FindGpu("V100-SXM2-16GB").nvlink_one_way->value, 150e9);
}

TEST(ShippedCatalog, AK80IsHalfABoardAtItsBaseClock) {
  const Gpu& gpu = Shipped().FindGpu("K80");
  EXPECT_EQ(gpu.fp32->value, 4.37e12);
  EXPECT_EQ(PeakFor(gpu, "fp32")->value, 2.8e12);
  EXPECT_EQ(gpu.memory->value, 12e9);
  EXPECT_EQ(PeakFor(gpu, "fp16"), std::nullopt) << "no tensor cores";
}

TEST(ShippedCatalog, BurstsAreNotWhatJobsOfHoursGet) {
  const Machine& p3 = Shipped().FindMachine("p3.2xlarge");
  EXPECT_EQ(p3.network_ceiling->value, 10e9 / 8);
  EXPECT_EQ(SustainedNetwork(p3)->value, 2.5e9 / 8);
  // Only the baseline was read: the ceiling stays unknown.
  const Machine& g6 = Shipped().FindMachine("g6.xlarge");
  EXPECT_EQ(g6.network_ceiling, std::nullopt);
  EXPECT_EQ(SustainedNetwork(g6)->value, 2.5e9 / 8);
}

TEST(ShippedCatalog, InfinibandIsApartFromTheEthernetThatAzureLists) {
  const Machine& machine = Shipped().FindMachine("Standard_ND96asr_v4");
  EXPECT_EQ(machine.network_ceiling->value, 24e9 / 8);
  EXPECT_EQ(machine.fabric->rate->value, 8 * 200e9 / 8);
  EXPECT_EQ(Shipped().TopologyOf(machine)->nic_rate->value, 200e9 / 8);
}

TEST(ShippedCatalog, ASliceOfAGpuHasItsShareOfMemory) {
  const Machine& machine = Shipped().FindMachine("g6f.xlarge");
  // An eighth of an L4 with 24 GB.
  EXPECT_EQ(MemoryPerGpu(machine, Shipped().GpuOrNull(machine.gpu))->value, 3e9);
  EXPECT_EQ(Shipped().TopologyOf(machine), std::nullopt);
}

TEST(ShippedCatalog, SlicedNvlinkLeavesP3With4Or5LinksPerGpu) {
  const auto topology = Shipped().TopologyOf(Shipped().FindMachine("p3.8xlarge"));
  std::vector<int> links(4);
  for (const TopologyEdge& edge : topology->edges) {
    if (edge.kind != EdgeKind::kNvlink) continue;
    links[edge.from] += edge.links;
    links[edge.to] += edge.links;
    EXPECT_EQ(edge.one_way->value, edge.links * 25e9);
  }
  EXPECT_THAT(links, testing::ElementsAre(4, 4, 5, 5));
}

TEST(ShippedCatalog, PricesOfTheReferenceRegionStandWithTheirDay) {
  const Machine& machine = Shipped().FindMachine("p3.16xlarge");
  EXPECT_EQ(Shipped().UsdPerHour(machine, "", false), 24.48);
  EXPECT_EQ(Shipped().ReferenceRegion("aws"), "us-east-1");
  EXPECT_EQ(Shipped().UsdPerHour(machine, "mars-1", false), std::nullopt);
  EXPECT_EQ(Shipped().PriceOf(Shipped().FindMachine("p5e.48xlarge")), nullptr);
  const Price& azure = *Shipped().PriceOf(Shipped().FindMachine("Standard_ND40rs_v2"));
  EXPECT_TRUE(azure.date_is_latest);
  EXPECT_TRUE(IsStale(azure, "2026-11-17T00:00:00Z"));
  // From 2026-08-22: 9 days of August, 30, 31 and 17 are 87.
  EXPECT_EQ(AgeInDays(*Shipped().PriceOf(Shipped().FindMachine("p4d.24xlarge")), "2026-11-17"), 87);
}

TEST(ShippedCatalog, MachinesOfAnotherRegionThanTheReferenceKeepTheirOnlyPrice) {
  EXPECT_EQ(Shipped().PriceOf(Shipped().FindMachine("Standard_NC24"))->region, "southcentralus");
}

TEST(Catalog, NamesAreFoundInAnyCaseAndWithTheirProvider) {
  EXPECT_EQ(Shipped().FindMachine("P3.8XLARGE").name, "p3.8xlarge");
  EXPECT_EQ(Shipped().FindMachine("aws/p3.8xlarge").name, "p3.8xlarge");
  EXPECT_EQ(Shipped().MachineOrNull("gcp/p3.8xlarge"), nullptr);
}

TEST(Catalog, AMistypedNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(HintFor("p3.8xlarg"), HasSubstr("did you mean p3.8xlarge"));
  EXPECT_THAT(HintFor("standard_nd96asr_v3"), HasSubstr("Standard_ND96asr_v4"));
  EXPECT_THAT(HintFor("zzzzzzzzzzzzzzzzzzzzzzz"), HasSubstr("catalog list"));
  EXPECT_THROW(Shipped().FindGpu("V1000"), UsageError);
  EXPECT_THROW(Shipped().FindDataset("imagent"), UsageError);
}

TEST(Catalog, AUsersRowsReplaceShippedOnesAndAddNewOnes) {
  CatalogOptions options;
  options.files = {
      Written("mine.csv",
              "provider,machine,gpu,gpus,vcpus,source\naws,p3.8xlarge,V100-SXM2-16GB,4,99,me\n"
              "home,box,RTX-3090,2,16,me\n"),
      Written("prices.csv",
              "provider,machine,region,on_demand_usd_hour,date,source\nhome,box,attic,0.2,2026-11-01,me\n")};
  const Catalog catalog = Catalog::Load(options);
  EXPECT_EQ(catalog.FindMachine("p3.8xlarge").vcpus, 99);
  EXPECT_EQ(catalog.machines().size(), Shipped().machines().size() + 1);
  EXPECT_EQ(catalog.UsdPerHour(catalog.FindMachine("box"), "", false), 0.2);
}

TEST(Catalog, AMachineOfTwoProvidersMustBeNamedWithOne) {
  CatalogOptions options;
  options.files = {Written("two.csv", "provider,machine,gpu,gpus,source\nother,p3.8xlarge,A10,1,me\n")};
  const Catalog catalog = Catalog::Load(options);
  EXPECT_THROW(catalog.FindMachine("p3.8xlarge"), UsageError);
  EXPECT_EQ(catalog.FindMachine("other/p3.8xlarge").gpu, "A10");
}

TEST(FittedBandwidth, TwoP4dOverEfaAndTcpAreTold) {
  const AllReduceCurve* efa = Shipped().FittedBandwidth("p4d.24xlarge", 2, "efa");
  ASSERT_THAT(efa, NotNull());
  // Published: 77 to 78 GB/s at 2 GiB with four interfaces.
  EXPECT_NEAR(LargestMessageBandwidth(*efa).mean / 1e9, 77.5, 1.5);
  EXPECT_EQ(Shipped().FittedBandwidth("p4d.24xlarge", 2), efa) << "the fastest transport";
  const AllReduceCurve* tcp = Shipped().FittedBandwidth("p4d.24xlarge", 2, "tcp");
  EXPECT_LT(LargestMessageBandwidth(*tcp).mean / 1e9, 9);
  EXPECT_GT(TimeOf(*tcp, Bytes{25e6})->count(), TimeOf(*efa, Bytes{25e6})->count());
}

TEST(FittedBandwidth, WhatNobodyPublishedIsAbsent) {
  EXPECT_THAT(Shipped().FittedBandwidth("p3.8xlarge", 1), IsNull());
  // Only a complaint about slow runs exists for four nodes.
  EXPECT_THAT(Shipped().FittedBandwidth("p4d.24xlarge", 4), IsNull());
  // One GPU of each of two machines is another system.
  EXPECT_EQ(Shipped().FittedBandwidth("p3dn.24xlarge", 2)->gpus, 16);
}

TEST(FittedBandwidth, ARunThatStandsUnderTwoMachinesCountsForOne) {
  // The table has p4de's run under p5 as well: 78 GB/s, where p5 reaches over 400.
  EXPECT_GT(LargestMessageBandwidth(*Shipped().FittedBandwidth("p5.48xlarge", 2)).mean, 400e9);
}

TEST(Datasets, BytesAndMeansAgree) {
  const DatasetPreset& imagenet = Shipped().FindDataset("ImageNet");
  EXPECT_EQ(imagenet.samples, 1281167);
  EXPECT_EQ(imagenet.classes, 1000);
  // 147,897,477,120 / 1,281,167 = 115,439.6.
  EXPECT_NEAR(imagenet.sample_bytes.value, 115439.6, 0.1);
  const DatasetPreset& tokens = Shipped().FindDataset("wikipedia-tokens");
  EXPECT_EQ(*tokens.tokens, 512 * tokens.samples);
}

TEST(ExpectedQuantities, AHealthyP4dIsDescribedWithBasisAndSource) {
  const auto expected = ExpectedQuantities(Shipped(), Shipped().FindMachine("p4d.24xlarge"));
  const auto with = [](const char* name, double value, const char* basis) {
    return AllOf(Field(&Quantity::name, name), Field(&Quantity::value, Field(&Estimate::mean, value)),
                 Field(&Quantity::basis, basis), Field(&Quantity::source, testing::Not("")));
  };
  EXPECT_THAT(expected, Contains(with("gpu.count", 8, kDocumented)));
  EXPECT_THAT(expected, Contains(with("threads", 96, kDocumented)));
  EXPECT_THAT(expected, Contains(with("gpu.nvlinks", 12, kDocumented)));
  EXPECT_THAT(expected, Contains(with("network.rate", 50e9, kDocumented)));
  EXPECT_THAT(expected, Contains(AllOf(Field(&Quantity::name, "allreduce.nccl.2x8.bus_bandwidth"),
                                       Field(&Quantity::basis, kMeasured))));
  EXPECT_THAT(expected, Contains(AllOf(Field(&Quantity::name, "allreduce.nccl.2x8.latency"),
                                       Field(&Quantity::higher_is_better, false))));
}

TEST(ExpectedQuantities, WhatNobodyLookedUpIsNotExpected) {
  const auto expected = ExpectedQuantities(Shipped(), Shipped().FindMachine("DGX-1"));
  EXPECT_THAT(expected, testing::Not(Contains(Field(&Quantity::name, "threads"))));
}

}  // namespace
}  // namespace stallscope
