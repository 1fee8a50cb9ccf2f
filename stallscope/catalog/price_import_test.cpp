#include "stallscope/catalog/price_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/catalog/tables.h"

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kHeader =
    "provider,region,instance,ondemand,spot,source,price_date,accelerator,accelerator_count\n";

PriceImport Import(const std::string& rows) {
  return ImportPrices(kHeader + rows, "all.csv", Catalog::Load());
}

TEST(ImportPrices, KnownMachinesAreKeptAndTheRestIsCountedWithTheReason) {
  const PriceImport import = Import(
      "aws,eu-west-1,p3.8xlarge,13.22,4.1,sky,2026-03-31,V100,4\n"
      "aws,eu-west-1,p3.16xlarge,,,sky,2026-03-31,V100,8\n"
      "aws,,p3.2xlarge,3,,sky,2026-03-31,V100,1\n"
      "moon,crater,rover,1,,sky,2026-03-31,A100,1\n"
      "moon,crater,rover2,1,,sky,<=2026-03-31,A100,1\n");
  EXPECT_EQ(import.rows, 5U);
  ASSERT_EQ(import.prices.size(), 1U);
  EXPECT_EQ(import.prices[0].on_demand_usd_hour, 13.22);
  ASSERT_EQ(import.skipped.size(), 3U);
  EXPECT_EQ(import.skipped[0].reason, "no price");
  EXPECT_EQ(import.skipped[1].reason, "no region");
  EXPECT_EQ(import.skipped[2].rows, 2U);
  EXPECT_THAT(import.skipped[2].examples, ElementsAre("moon/rover", "moon/rover2"));
}

TEST(ImportPrices, ABadRowNamesItsLineAndTheOthersAreRead) {
  const PriceImport import = Import(
      "aws,eu-west-1,p3.8xlarge,13.2x,4.1,sky,2026-03-31,V100,4\n"
      "aws,eu-west-2,p3.8xlarge,13,0,sky,2026-03-31,V100,4\n"
      "aws,eu-west-3,p3.8xlarge,13,4,sky,March,V100,4\n"
      "aws,eu-west-4,p3.8xlarge,13,4,sky,2026-03-31,V100,4\n");
  EXPECT_THAT(import.bad,
              ElementsAre(HasSubstr("all.csv line 2: ondemand is '13.2x'"), HasSubstr("line 3: spot is 0"),
                          HasSubstr("line 4: price_date is 'March'")));
  EXPECT_EQ(import.prices.size(), 1U);
}

TEST(ImportPrices, WhatIsKeptIsReadBackTheSame) {
  const PriceImport import =
      Import("gcp,asia-east1,a3-highgpu-1g,12.71266,,\"sky, with a comma\",<=2024-08-19,H100,1\n");
  CatalogTables tables;
  ReadTable(PriceTable(import.prices), "kept.csv", tables);
  ASSERT_EQ(tables.prices.size(), 1U);
  EXPECT_EQ(tables.prices[0].on_demand_usd_hour, 12.71266);
  EXPECT_EQ(tables.prices[0].spot_usd_hour, std::nullopt);
  EXPECT_TRUE(tables.prices[0].date_is_latest);
  EXPECT_THAT(tables.prices[0].provenance.sources, ElementsAre("sky, with a comma"));
}

TEST(ImportPrices, ATableOfSomethingElseIsRefused) {
  EXPECT_THROW(ImportPrices("a,b\n1,2\n", "x.csv", Catalog::Load()), Error);
}

}  // namespace
}  // namespace stallscope
