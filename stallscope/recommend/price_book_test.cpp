#include "stallscope/recommend/price_book.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

std::vector<Offer> Offers(const PriceChanges& changes, bool spot = false) {
  return OffersOf(Facts().FindMachine("p3.8xlarge"), Facts(), changes,
                  {.region = "", .on_demand = true, .spot = spot}, "2026-11-17");
}

TEST(PriceBook, TheListsPriceCarriesItsDateAndAge) {
  const std::vector<Offer> offers = Offers({});
  ASSERT_EQ(offers.size(), 1U);
  EXPECT_DOUBLE_EQ(offers[0].usd_hour, 12.24);
  EXPECT_EQ(offers[0].from, "list");
  EXPECT_TRUE(offers[0].stale) << offers[0].date;
}

TEST(PriceBook, ADiscountIsTakenOffTheListAndNotOffSpot) {
  PriceChanges changes;
  ReadDiscount("aws=25%", Facts(), changes);
  const std::vector<Offer> offers = Offers(changes, true);
  ASSERT_EQ(offers.size(), 2U);
  EXPECT_EQ(offers[0].market, Market::kSpot) << "cheapest first";
  EXPECT_DOUBLE_EQ(offers[0].usd_hour, *Facts().UsdPerHour(Facts().FindMachine("p3.8xlarge"), "", true));
  EXPECT_DOUBLE_EQ(offers[1].usd_hour, 12.24 * 0.75);
  EXPECT_EQ(offers[1].from, "list less 25 %");
}

TEST(PriceBook, TheNarrowestDiscountCounts) {
  PriceChanges changes;
  ReadDiscount("10%", Facts(), changes);
  ReadDiscount("aws=20%", Facts(), changes);
  ReadDiscount("p3.8xlarge=50%", Facts(), changes);
  EXPECT_DOUBLE_EQ(Offers(changes)[0].usd_hour, 6.12);
}

TEST(PriceBook, TheUsersOwnPriceReplacesTheListsInAllRegions) {
  PriceChanges changes;
  ReadPrice("p3.8xlarge=9.5", Facts(), changes);
  ReadDiscount("aws=20%", Facts(), changes);
  const std::vector<Offer> offers = Offers(changes);
  ASSERT_EQ(offers.size(), 1U);
  EXPECT_DOUBLE_EQ(offers[0].usd_hour, 9.5) << "discounts are off the list";
  EXPECT_EQ(offers[0].from, "yours");
}

TEST(PriceBook, WhatIsNoPriceIsRefused) {
  PriceChanges changes;
  EXPECT_THROW(ReadPrice("p3.8xlarge=9.x", Facts(), changes), UsageError);
  EXPECT_THROW(ReadPrice("p3.8xlarge=-1", Facts(), changes), UsageError);
  EXPECT_THROW(ReadPrice("9.5", Facts(), changes), UsageError);
  EXPECT_THROW(ReadPrice("p9.8xlarge=1", Facts(), changes), UsageError);
  EXPECT_THROW(ReadDiscount("aws=100%", Facts(), changes), UsageError);
  EXPECT_THROW(ReadDiscount("awx=10%", Facts(), changes), UsageError);
}

}  // namespace
}  // namespace stallscope
