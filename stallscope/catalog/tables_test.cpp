#include "stallscope/catalog/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ComplaintAbout(const std::string& text) {
  CatalogTables tables;
  try {
    ReadTable(text, "mine.csv", tables);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "none";
}

TEST(ReadTable, UnitsBecomeBytesAndBytesPerSecond) {
  CatalogTables tables;
  ReadTable(
      "provider,machine,gpu,gpus,memory_gib,network_gbps,network_burst,disk_mbs,interconnect_one_way_gbs,"
      "source\n"
      "x,y,K80,8,2,10,no,100,150,me\n",
      "mine.csv", tables);
  const Machine& machine = tables.machines.at(0);
  EXPECT_EQ(machine.memory->value, 2.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(machine.network_ceiling->value, 1.25e9);
  EXPECT_EQ(machine.disk_ceiling->value, 1e8);
  EXPECT_EQ(machine.interconnect_one_way->value, 150e9);
  EXPECT_EQ(machine.local_disk, std::nullopt) << "a column that is not there is unknown, not zero";
}

TEST(ReadTable, AZeroDiskIsNoDiskAndABlankOneIsUnknown) {
  CatalogTables tables;
  ReadTable("provider,machine,gpu,gpus,local_disk_gb,source\nx,a,K80,1,0,me\nx,b,K80,1,,me\n", "mine.csv",
            tables);
  EXPECT_EQ(tables.machines[0].local_disk->value, 0);
  EXPECT_EQ(tables.machines[1].local_disk, std::nullopt);
}

TEST(ReadTable, ComplaintsNameFileLineAndColumn) {
  EXPECT_THAT(ComplaintAbout("provider,machine,gpu,gpus\nx,y,K80,eight\n"),
              HasSubstr("mine.csv line 2: gpus is 'eight', which is no number"));
  EXPECT_THAT(ComplaintAbout("provider,machine,gpu,gpus\nx,y,K80,0\n"), HasSubstr("line 2: gpus is 0"));
  EXPECT_THAT(ComplaintAbout("provider,machine,gpu,gpus,vcpu\nx,y,K80,1,2\n"),
              HasSubstr("has no column 'vcpu' | did you mean vcpus"));
  EXPECT_THAT(ComplaintAbout("provider,machine,region,date,on_demand_usd_hour\nx,y,z,yesterday,1\n"),
              HasSubstr("line 2: date is 'yesterday'"));
  EXPECT_THAT(ComplaintAbout("provider,machine,region,date,on_demand_usd_hour\nx,y,z,2026-08-22,0\n"),
              HasSubstr("is 0; leave it blank"));
  EXPECT_THAT(ComplaintAbout("a,b\n1,2\n"), HasSubstr("no table of the catalog"));
  EXPECT_THAT(ComplaintAbout("topology,from,to,kind\nt,gpu0,cpu0,pcie\n"), HasSubstr("line 2: to is 'cpu0'"));
  EXPECT_THAT(ComplaintAbout("dataset,kind,samples\nd,images,10\n"),
              HasSubstr("bytes and sample_bytes are both blank"));
}

TEST(ReadTable, BadRowsCanBePassedOver) {
  CatalogTables tables;
  std::vector<std::string> complaints;
  ReadTable("gpu,memory_gb\nA,x\nB,16\n", "mine.csv", tables,
            [&](const Error& error) { complaints.emplace_back(error.what()); });
  EXPECT_THAT(complaints, ElementsAre(HasSubstr("line 2")));
  ASSERT_EQ(tables.gpus.size(), 1U);
  EXPECT_EQ(tables.gpus[0].name, "B");
}

TEST(AllReduceCurve, PiecesGiveTimesThatMeet) {
  CatalogTables tables;
  // Two GPUs: f = 2 * 1/2 = 1. First 10 us + bytes / 1 GB/s up to 1 MB, then 0.51 ms + bytes / 2 GB/s.
  ReadTable(
      "curve,system,gpus,nodes,collective,transport,from_bytes,to_bytes,intercept_us,busbw_gbs,latency_us\n"
      "c,s,2,1,all_reduce,pcie,1000,1000000,10,1,10\nc,s,2,1,all_reduce,pcie,1000000,4000000,510,2,10\n",
      "mine.csv", tables);
  ASSERT_EQ(tables.curves.size(), 1U);
  const AllReduceCurve& curve = tables.curves[0];
  EXPECT_DOUBLE_EQ(TimeOf(curve, {1e6})->count(), 1010e-6);
  EXPECT_NEAR(TimeOf(curve, {1e6 + 1})->count(), 1010e-6, 1e-9);
  EXPECT_DOUBLE_EQ(TimeOf(curve, {4e6})->count(), 2510e-6);
  // 4 MB in 2.51 ms are 1.59 GB/s, below the 2 GB/s of the last piece.
  EXPECT_NEAR(LargestMessageBandwidth(curve).mean, 1.5936e9, 1e5);
  EXPECT_DOUBLE_EQ(TimeOf(curve, {8})->count(), 10e-6 + 8e-9) << "smaller than measured: the first piece";
}

TEST(AllReduceCurve, APointSaysNothingOfOtherSizes) {
  CatalogTables tables;
  ReadTable(
      "curve,system,gpus,nodes,collective,transport,from_bytes,to_bytes,busbw_gbs\n"
      "c,s,4,1,all_reduce,pcie,1000000,1000000,3\n",
      "mine.csv", tables);
  // f = 2 * 3/4: 1.5 MB over 3 GB/s.
  EXPECT_DOUBLE_EQ(TimeOf(tables.curves[0], {1e6})->count(), 0.5e-3);
  EXPECT_EQ(TimeOf(tables.curves[0], {2e6}), std::nullopt);
}

TEST(AllReduceCurve, PiecesWithAGapAreRefused) {
  EXPECT_THAT(ComplaintAbout(
                  "curve,system,gpus,nodes,collective,transport,from_bytes,to_bytes,intercept_us,busbw_gbs\n"
                  "c,s,2,1,all_reduce,pcie,1,10,1,1\nc,s,2,1,all_reduce,pcie,20,30,1,1\n"),
              HasSubstr("line 3: from_bytes is not where the segment before it ends"));
}

TEST(PcieRate, DoublesWithEveryGeneration) {
  // 8 GT/s, 128 of 130 bits, 16 lanes: 15.75 GB/s.
  EXPECT_NEAR(PcieRate(3, 16)->value, 15.754e9, 1e6);
  EXPECT_NEAR(PcieRate(4, 8)->value, PcieRate(3, 16)->value, 1);
  EXPECT_EQ(PcieRate(9, 16), std::nullopt);
}

TEST(CheckTopology, PartsThatCannotReachEachOtherAreNamed) {
  CatalogTables tables;
  ReadTable("topology,from,to,kind\nt,gpu0,host0,pcie\nt,gpu1,host1,pcie\n", "mine.csv", tables);
  try {
    CheckTopology(tables.topologies.at(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not connect gpu1 with gpu0"));
  }
}

TEST(TopologyByClass, PcieMachinesMeetAtTheirHosts) {
  const Machine machine{.name = "m",
                        .gpus = 4,
                        .interconnect = "pcie4",
                        .pcie_generation = 4,
                        .pcie_width = 8,
                        .numa_nodes = 2};
  const auto topology = TopologyByClass(machine, nullptr);
  ASSERT_TRUE(topology);
  CheckTopology(*topology);
  EXPECT_TRUE(topology->by_class);
  EXPECT_EQ(topology->All(NodeKind::kHost).size(), 2U);
  EXPECT_NEAR(topology->edges[0].one_way->value, 15.754e9, 1e6) << "eight lanes of generation 4";
}

TEST(TopologyByClass, SeveralGpusWithoutAKnownInterconnectAreNotGuessed) {
  EXPECT_EQ(TopologyByClass({.name = "m", .gpus = 4}, nullptr), std::nullopt);
  const Gpu h100{.name = "H100", .nvlink = "4", .nvlink_one_way = BytesPerSecond{450e9}};
  const auto switched = TopologyByClass({.name = "m", .gpus = 8}, &h100);
  ASSERT_TRUE(switched);
  EXPECT_EQ(switched->All(NodeKind::kNvSwitch).size(), 1U);
}

}  // namespace
}  // namespace stallscope
