#include "stallscope/recommend/price_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/base/units.h"
#include "stallscope/catalog/facts.h"

namespace stallscope {
namespace {

constexpr const char* kSpotSuffix = ":spot";

struct NameAndValue {
  std::string name;
  std::string value;
};

NameAndValue Split(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

double UsdIn(const std::string& text, const std::string& whole) {
  double usd = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, usd);
  if (error != std::errc() || rest != end || !std::isfinite(usd) || usd < 0) {
    const auto column = whole.size() - text.size() + static_cast<std::size_t>(rest - text.data()) + 1;
    throw UsageError(
        fmt::format("--price '{}' has no amount in USD after the '=' (column {})", whole, column),
        "write --price p3.8xlarge=9.50");
  }
  return usd;
}

std::optional<double> Find(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

double DiscountOn(const Machine& machine, const PriceChanges& changes) {
  for (const std::string& who : {LowerCase(FullName(machine)), machine.provider, std::string("*")}) {
    if (const auto discount = Find(changes.discounts, who)) return *discount;
  }
  return 0;
}

}  // namespace

const char* MarketName(Market market) {
  return market == Market::kSpot ? "spot" : "on-demand";
}

void ReadPrice(const std::string& text, const Catalog& catalog, PriceChanges& changes) {
  NameAndValue parts = Split(text);
  if (parts.name.empty()) {
    throw UsageError(fmt::format("--price '{}' names no machine", text), "write --price p3.8xlarge=9.50");
  }
  const bool spot = parts.name.ends_with(kSpotSuffix);
  if (spot) parts.name.resize(parts.name.size() - std::string_view(kSpotSuffix).size());
  const std::string name = LowerCase(FullName(catalog.FindMachine(parts.name)));
  (spot ? changes.spot : changes.on_demand)[name] = UsdIn(parts.value, text);
}

void ReadDiscount(const std::string& text, const Catalog& catalog, PriceChanges& changes) {
  const NameAndValue parts = Split(text);
  const auto share = ParseShare(parts.value);
  if (!share || *share < 0 || *share >= 1) {
    throw UsageError(fmt::format("--discount '{}' is no share from 0 to below 100 %", text),
                     "write --discount aws=30%");
  }
  std::vector<std::string> providers;
  for (const Machine& machine : catalog.machines()) providers.push_back(machine.provider);
  const std::string who = LowerCase(parts.name);
  if (who.empty()) {
    changes.discounts["*"] = *share;
  } else if (std::find(providers.begin(), providers.end(), who) != providers.end()) {
    changes.discounts[who] = *share;
  } else {
    changes.discounts[LowerCase(FullName(catalog.FindMachine(who)))] = *share;
  }
}

std::vector<Offer> OffersOf(const Machine& machine, const Catalog& catalog, const PriceChanges& changes,
                            const PriceFilter& filter, const std::string& today) {
  const std::string name = LowerCase(FullName(machine));
  const std::optional<double> own = Find(changes.on_demand, name);
  const std::optional<double> own_spot = Find(changes.spot, name);
  const double discount = DiscountOn(machine, changes);
  std::vector<Offer> offers;
  for (const Price& price : catalog.PricesOf(machine)) {
    if (!filter.region.empty() && price.region != filter.region) continue;
    Offer offer{price.region, Market::kOnDemand, 0, price.date, IsStale(price, today), "list"};
    if (filter.on_demand && !own && price.on_demand_usd_hour) {
      offer.usd_hour = *price.on_demand_usd_hour * (1 - discount);
      offer.list_usd_hour = price.on_demand_usd_hour;
      if (discount > 0) offer.from = fmt::format("list less {:g} %", 100 * discount);
      offers.push_back(offer);
    }
    if (filter.spot && !own_spot && price.spot_usd_hour) {
      offer.market = Market::kSpot;
      offer.list_usd_hour.reset();
      offer.usd_hour = *price.spot_usd_hour;
      offer.from = "list";
      offers.push_back(offer);
    }
  }
  if (filter.on_demand && own) offers.push_back({filter.region, Market::kOnDemand, *own, "", false, "yours"});
  if (filter.spot && own_spot)
    offers.push_back({filter.region, Market::kSpot, *own_spot, "", false, "yours"});
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return std::tie(a.usd_hour, a.region, a.market) < std::tie(b.usd_hour, b.region, b.market);
  });
  return offers;
}

}  // namespace stallscope
