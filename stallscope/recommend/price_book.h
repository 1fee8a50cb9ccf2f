#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/recommend/charge.h"

namespace stallscope {

enum class Market { kOnDemand, kSpot };
/// "on-demand", "spot".
const char* MarketName(Market market);

/// One price of one machine.
struct Offer {
  std::string region;  ///< empty where the user gave the price
  Market market = Market::kOnDemand;
  double usd_hour = 0;
  std::string date;  ///< of the list; empty for the user's own price
  bool stale = false;
  std::string from;  ///< "list", "list less 30 %", "yours"
  /// What discounts are taken off; absent for spot and for the user's own price.
  std::optional<double> list_usd_hour = {};
};

/// What the user pays other than the list.
struct PriceChanges {
  std::map<std::string, double> on_demand;  ///< --price NAME=USD, by full name in small letters
  std::map<std::string, double> spot;       ///< --price NAME:spot=USD
  std::map<std::string, double>
      discounts;  ///< --discount WHO=SHARE: a provider, a machine's full name, or "*"
};

struct PriceFilter {
  std::string region;  ///< empty: all
  bool on_demand = true;
  bool spot = false;
};

/// Reads "p3.8xlarge=9.5" or "p3.8xlarge:spot=3" into `changes`. Throws UsageError, with the nearest names
/// where the machine is not known.
void ReadPrice(const std::string& text, const Catalog& catalog, PriceChanges& changes);
/// Reads "aws=30%", "p3.8xlarge=0.3" or "30%".
void ReadDiscount(const std::string& text, const Catalog& catalog, PriceChanges& changes);

/// All prices of a machine, cheapest first, then by region and market. Discounts are taken off the list's
/// on-demand prices; spot prices and the user's own stand as they are.
std::vector<Offer> OffersOf(const Machine& machine, const Catalog& catalog, const PriceChanges& changes,
                            const PriceFilter& filter, const std::string& today);

}  // namespace stallscope
