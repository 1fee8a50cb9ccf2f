#include "stallscope/report/recommendation_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/csv_table.h"
#include "stallscope/report/rental_text.h"

namespace stallscope {
namespace {

std::string Text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string();
}

}  // namespace

void WriteRecommendationCsv(const Recommendation& recommendation, std::ostream& out) {
  out << "chosen,pareto,provider,instance,region,market,gpu,nodes,devices,batch_per_device,step_time_s,hours,"
         "hours_low,hours_high,usd_hour,cost_usd,cost_usd_low,cost_usd_high,probability_in_time,"
         "probability_in_budget,basis,price_date,price_stale,pays_for\n";
  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  for (std::size_t i = 0; i < recommendation.candidates.size(); ++i) {
    const RecommendedCandidate& c = recommendation.candidates[i];
    const bool front = std::find(recommendation.pareto.begin(), recommendation.pareto.end(), i) !=
                       recommendation.pareto.end();
    out << fmt::format(
               "{},{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},",
               yes(recommendation.choice == i), yes(front), CsvCell(c.provider), CsvCell(c.instance),
               CsvCell(c.region), c.market, CsvCell(c.gpu), c.nodes, c.devices, c.batch_per_device,
               c.step_time_s.mean, c.hours.mean, c.hours.low, c.hours.high, c.usd_hour, c.cost_usd.mean,
               c.cost_usd.low, c.cost_usd.high)
        << fmt::format("{},{},{},{},{},{}\n", Text(c.probability_in_time), Text(c.probability_in_budget),
                       c.basis, c.price_date.value_or(""), yes(c.price_stale), CsvCell(c.pays_for));
  }
}

void WriteRecommendationMarkdown(const Recommendation& recommendation, std::ostream& out) {
  if (recommendation.choice) {
    const RecommendedCandidate& c = recommendation.candidates[*recommendation.choice];
    out << fmt::format("**{} x {}** ({}, {}): {}, {} for {}.\n\n", c.nodes, c.instance, PlaceText(c),
                       c.market, HoursText(c.hours.mean), UsdText(c.cost_usd.mean), c.pays_for);
  } else {
    out << "**Nothing fits.** The closest:\n\n";
    for (const ClosestCandidate& closest : recommendation.closest) {
      const RecommendedCandidate& c = recommendation.candidates[closest.candidate];
      out << fmt::format("- {} x {} ({}, {}): {}; it would fit with {}\n", c.nodes, c.instance, PlaceText(c),
                         c.market, closest.missing, closest.would_fit);
    }
    out << '\n';
  }
  if (!recommendation.top.empty()) {
    out << "| machine | n | GPUs | batch | time | USD | in time | basis | price "
           "|\n|---|--:|--:|--:|--:|--:|--:|---|---|\n";
    for (const std::size_t i : recommendation.top) {
      const RecommendedCandidate& c = recommendation.candidates[i];
      out << fmt::format("| {} | {} | {} | {} | {} ({} to {}) | {:.2f} ({:.2f} to {:.2f}) | {} | {} | {} |\n",
                         NameText(c), c.nodes, c.devices, c.batch_per_device, HoursText(c.hours.mean),
                         HoursText(c.hours.low), HoursText(c.hours.high), c.cost_usd.mean, c.cost_usd.low,
                         c.cost_usd.high,
                         c.probability_in_time ? fmt::format("{:.0f} %", 100 * *c.probability_in_time) : "",
                         c.basis, PriceText(c));
    }
  }
  for (const std::string& note : recommendation.notes) out << "\nNote: " << note << ".\n";
}

}  // namespace stallscope
