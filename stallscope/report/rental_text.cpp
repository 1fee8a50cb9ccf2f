#include "stallscope/report/rental_text.h"

#include <fmt/format.h>

namespace stallscope {

std::string PlaceText(const RecommendedCandidate& candidate) {
  return candidate.region.empty() ? candidate.provider : candidate.provider + " " + candidate.region;
}

std::string NameText(const RecommendedCandidate& candidate) {
  return candidate.market == "spot" ? candidate.instance + " spot" : candidate.instance;
}

std::string PriceText(const RecommendedCandidate& candidate) {
  if (!candidate.price_date) return candidate.price_from;
  return fmt::format("{} of {}{}", candidate.price_from, *candidate.price_date,
                     candidate.price_stale ? ", stale" : "");
}

}  // namespace stallscope
