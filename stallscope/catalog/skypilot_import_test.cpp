#include "stallscope/catalog/skypilot_import.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr const char* kHeader =
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,AvailabilityZone\n";

PriceImport Import(const std::string& rows, const std::string& provider) {
  static const Catalog catalog = Catalog::Load();
  return ImportSkypilotPrices(kHeader + rows, "vms.csv", {provider, "2026-08-22"}, catalog);
}

TEST(SkypilotImport, ARegionHasTheLowestPriceOfItsZones) {
  const PriceImport import = Import(
      "p4d.24xlarge,A100,8,96,1152,21.96,9.5,us-east-1,us-east-1a\n"
      "p4d.24xlarge,A100,8,96,1152,21.96,7.25,us-east-1,us-east-1b\n"
      "p4d.24xlarge,A100,8,96,1152,32.77,,us-west-2,us-west-2a\n"
      "m5.large,,,2,8,0.096,0.03,us-east-1,us-east-1a\n",
      "aws");
  ASSERT_EQ(import.prices.size(), 2U) << "m5.large has no GPU and is not in the catalog";
  EXPECT_EQ(import.prices[0].region, "us-east-1");
  EXPECT_DOUBLE_EQ(*import.prices[0].on_demand_usd_hour, 21.96);
  EXPECT_DOUBLE_EQ(*import.prices[0].spot_usd_hour, 7.25);
  EXPECT_FALSE(import.prices[1].spot_usd_hour) << "a missing price is not zero";
  EXPECT_EQ(import.prices[0].date, "2026-08-22");
  EXPECT_EQ(import.rows, 4U);
}

TEST(SkypilotImport, GpusThatAreRentedApartAreAdded) {
  // 0.38 USD for the machine and 2.48 USD for the GPU.
  const PriceImport import = Import(
      "n1-standard-8,,,8,30,0.38,0.08,us-central1,us-central1-a\n"
      ",V100,1,,,2.48,0.74,us-central1,us-central1-a\n",
      "gcp");
  const auto found = std::find_if(import.prices.begin(), import.prices.end(),
                                  [](const Price& price) { return price.machine == "n1-standard-8+1xV100"; });
  ASSERT_NE(found, import.prices.end());
  EXPECT_DOUBLE_EQ(*found->on_demand_usd_hour, 2.86);
  EXPECT_DOUBLE_EQ(*found->spot_usd_hour, 0.82);
}

TEST(SkypilotImport, ALetterInAPriceIsNamedByLineAndColumnAndTheRestIsRead) {
  const PriceImport import = Import(
      "p4d.24xlarge,A100,8,96,1152,2l.96,9.5,us-east-1,us-east-1a\n"
      "p4d.24xlarge,A100,8,96,1152,32.77,,us-west-2,us-west-2a\n",
      "aws");
  ASSERT_EQ(import.bad.size(), 1U);
  EXPECT_NE(import.bad[0].find("2"), std::string::npos);
  EXPECT_NE(import.bad[0].find("Price"), std::string::npos) << import.bad[0];
  EXPECT_EQ(import.prices.size(), 1U);
}

TEST(SkypilotImport, APriceOfZeroIsNamedAndIsNotTheLeast) {
  const PriceImport import = Import(
      "p4d.24xlarge,A100,8,96,1152,21.96,9.5,us-east-1,us-east-1a\n"
      "p4d.24xlarge,A100,8,96,1152,21.96,0,us-east-1,us-east-1b\n",
      "aws");
  ASSERT_EQ(import.bad.size(), 1U);
  EXPECT_NE(import.bad[0].find("line 3: SpotPrice is 0"), std::string::npos) << import.bad[0];
  ASSERT_EQ(import.prices.size(), 1U);
  EXPECT_DOUBLE_EQ(*import.prices[0].spot_usd_hour, 9.5);
}

TEST(SkypilotImport, AnotherTableIsRefused) {
  EXPECT_THROW(ImportSkypilotPrices("a,b\n1,2\n", "x.csv", {"aws", "2026-08-22"}, Catalog::Load()), Error);
}

}  // namespace
}  // namespace stallscope
