// What holds for every catalog, workload and question: tried on random ones.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "stallscope/recommend/choose.h"

namespace stallscope {
namespace {

constexpr int kQuestions = 30;  ///< of every random world

/// From low to below high, all as likely in every run: RapidCheck would begin with the lowest alone.
int Draw(int low, int high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

/// Machines, what they would take, and prices in regions; some have none. Coarse numbers, so that ties are
/// usual.
struct World {
  std::vector<Machine> machines;
  std::vector<Configuration> configurations;
  std::vector<std::vector<Offer>> offers;
  JobSize job{.samples = 1000, .epochs = 2, .steps = {}, .dataset_bytes = 5e9, .checkpoint_bytes = 1e9};
  MoneyRules money;
};

Configuration AnyConfiguration(std::size_t machine, int nodes, int batch) {
  Configuration c{.machine = machine, .nodes = nodes, .devices = nodes * 2, .batch = batch};
  const double mean = Draw(1, 8);
  c.step_s = {mean, mean / (1 + 0.1 * Draw(0, 4)), mean * (1 + 0.1 * Draw(0, 6))};
  return c;
}

std::vector<Offer> AnyOffers() {
  std::vector<Offer> offers;
  const int regions = Draw(0, 4);
  for (int region = 0; region < regions; ++region) {
    for (const Market market : {Market::kOnDemand, Market::kSpot}) {
      if (Draw(0, 4) == 0) continue;
      offers.push_back({"region" + std::to_string(region), market, 0.5 * Draw(1, 6), "", false, ""});
    }
  }
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return std::tie(a.usd_hour, a.region, a.market) < std::tie(b.usd_hour, b.region, b.market);
  });
  return offers;
}

World AnyMarket() {
  World market;
  const int machines = Draw(1, 6);
  for (int i = 0; i < machines; ++i) {
    Machine machine;
    machine.provider = Draw(0, 2) == 0 ? "aws" : "other";
    machine.name = "m" + std::to_string(machines - i);
    if (Draw(0, 2) == 0) machine.local_disk = Bytes{1e12};
    market.machines.push_back(machine);
    market.offers.push_back(AnyOffers());
    for (int nodes = 1; nodes <= 3; ++nodes) {
      for (const int batch : {4, 8}) {
        if (Draw(0, 5) == 0) continue;  // does not fit the memory
        market.configurations.push_back(AnyConfiguration(static_cast<std::size_t>(i), nodes, batch));
      }
    }
  }
  market.money.setup_h = 0.05 * Draw(0, 3);
  market.money.storage_usd_gb_month = 0.1 * Draw(0, 3);
  market.money.interruptions_machine_hour = 0.1 * Draw(0, 3);
  market.money.billing = {{"other", {60.0 * Draw(1, 60), 60}}};
  return market;
}

/// Deadlines and budgets of the order of the jobs', one of them at least; some leave nothing that fits.
Question AnyQuestion() {
  Question question;
  const int kind = Draw(0, 4);
  if (kind != 1) question.deadline_h = 0.02 * Draw(1, 60);
  if (kind == 1 || kind == 2) question.budget_usd = 0.05 * Draw(1, 60);
  question.confidence = *rc::gen::element(0.5, 0.8, 0.9, 0.99);
  return question;
}

CandidateSet Candidates(const World& m) {
  return MakeCandidates(m.configurations, m.offers, m.machines, m.job, m.money);
}

/// What was chosen, by name.
struct Named {
  std::string machine;
  std::string region;
  Market market = Market::kOnDemand;
  int nodes = 0;
  int batch = 0;
  double usd = 0;
  double hours = 0;
  bool operator==(const Named&) const = default;
};

std::optional<Named> Chosen(const World& m, const Question& question) {
  const CandidateSet set = Candidates(m);
  const auto choice = Choose(set, OrderByCost(set, m.configurations), question);
  if (!choice) return std::nullopt;
  const Candidate& c = set.candidates[*choice];
  const Configuration& configuration = m.configurations[c.configuration];
  return Named{FullName(m.machines[c.machine]),
               set.offers[c.offer].region,
               set.offers[c.offer].market,
               configuration.nodes,
               configuration.batch,
               c.usd,
               c.hours};
}

/// Every configuration at every price, one after the other; nothing is left out beforehand.
std::optional<Named> SearchedAll(const World& m, const Question& question) {
  std::optional<Named> best;
  const auto key = [&](const Named& n) {
    const double first = question.WantsFastest() ? n.hours : n.usd;
    const double second = question.WantsFastest() ? n.usd : n.hours;
    return std::make_tuple(first, second, n.machine, n.region, n.market, n.nodes, n.batch);
  };
  for (const Configuration& configuration : m.configurations) {
    const Machine& machine = m.machines[configuration.machine];
    for (const Offer& offer : m.offers[configuration.machine]) {
      const Candidate c = MakeCandidate(configuration, offer, machine, m.job, m.money, nullptr);
      const double hours = HoursAt(c.time, IntervalsOf(question.confidence));
      if (question.deadline_h && hours > *question.deadline_h) continue;
      if (question.budget_usd && c.charge.Usd(hours) > *question.budget_usd) continue;
      const Named found{FullName(machine),   offer.region, offer.market, configuration.nodes,
                        configuration.batch, c.usd,        c.hours};
      if (!best || key(found) < key(*best)) best = found;
    }
  }
  return best;
}

RC_GTEST_PROP(Recommend, TheChoiceIsThatOfAnExhaustiveSearch, ()) {
  const World market = AnyMarket();
  for (int i = 0; i < kQuestions; ++i) {
    const Question question = AnyQuestion();
    const auto found = SearchedAll(market, question);
    RC_ASSERT(Chosen(market, question) == found);
  }
}

RC_GTEST_PROP(Recommend, WhatIsKeptForTheDocumentAnswersEveryQuestionLikeAllCandidates, ()) {
  const World market = AnyMarket();
  const CandidateSet all = Candidates(market);
  const Selection order = OrderByCost(all, market.configurations);
  const Selection kept = EverChosen(all, order, {0.5, 0.8, 0.9, 0.99});
  for (int i = 0; i < kQuestions; ++i) {
    const Question question = AnyQuestion();
    RC_ASSERT(Choose(all, kept, question) == Choose(all, order, question));
  }
}

RC_GTEST_PROP(Recommend, ALongerDeadlineNeverCostsMore, ()) {
  const World market = AnyMarket();
  Question question = AnyQuestion();
  if (!question.deadline_h) question.deadline_h = 0.3;
  const auto before = Chosen(market, question);
  *question.deadline_h += 0.02 * Draw(1, 20);
  const auto after = Chosen(market, question);
  RC_ASSERT(!before || (after && after->usd <= before->usd));
}

RC_GTEST_PROP(Recommend, ABiggerBudgetIsNeverSlower, ()) {
  const World market = AnyMarket();
  Question question = AnyQuestion();
  question.deadline_h.reset();
  question.budget_usd = 0.05 * Draw(1, 60);
  const auto before = Chosen(market, question);
  *question.budget_usd += 0.05 * Draw(1, 20);
  const auto after = Chosen(market, question);
  RC_ASSERT(!before || (after && after->hours <= before->hours));
}

RC_GTEST_PROP(Recommend, DoublingAllPricesChangesNoChoice, ()) {
  World market = AnyMarket();
  Question question = AnyQuestion();
  auto before = Chosen(market, question);
  for (std::vector<Offer>& offers : market.offers) {
    for (Offer& offer : offers) offer.usd_hour *= 2;
  }
  market.money.storage_usd_gb_month *= 2;
  if (question.budget_usd) *question.budget_usd *= 2;
  const auto after = Chosen(market, question);
  if (before) before->usd *= 2;
  RC_ASSERT(before == after);
}

RC_GTEST_PROP(Recommend, AddingADominatedMachineChangesNothing, ()) {
  World market = AnyMarket();
  const Question question = AnyQuestion();
  const auto before = Chosen(market, question);
  // A copy of any machine that is as fast or slower and as dear or dearer, and comes later by name.
  const auto original = static_cast<std::size_t>(Draw(0, static_cast<int>(market.machines.size())));
  Machine worse = market.machines[original];
  worse.name += "-worse";
  const double slower = 1 + 0.1 * Draw(0, 3);
  std::vector<Offer> offers = market.offers[original];
  for (Offer& offer : offers) offer.usd_hour *= 1 + 0.1 * Draw(0, 3);
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return std::tie(a.usd_hour, a.region, a.market) < std::tie(b.usd_hour, b.region, b.market);
  });
  const std::size_t count = market.configurations.size();
  for (std::size_t i = 0; i < count; ++i) {
    Configuration copy = market.configurations[i];
    if (copy.machine != original) continue;
    copy.machine = market.machines.size();
    for (double* value : {&copy.step_s.mean, &copy.step_s.low, &copy.step_s.high}) *value *= slower;
    market.configurations.push_back(copy);
  }
  market.machines.push_back(worse);
  market.offers.push_back(offers);
  RC_ASSERT(Chosen(market, question) == before);
}

RC_GTEST_PROP(Recommend, TheChoiceKeepsItsWordWithTheConfidenceThatWasAsked, ()) {
  const World market = AnyMarket();
  const Question question = AnyQuestion();
  const CandidateSet set = Candidates(market);
  const auto choice = Choose(set, OrderByCost(set, market.configurations), question);
  RC_CLASSIFY(choice.has_value());
  if (!choice) return;
  const Candidate& c = set.candidates[*choice];
  const double sure = question.confidence - 1e-9;
  if (question.deadline_h) RC_ASSERT(ProbabilityWithin(c.time, *question.deadline_h) >= sure);
  if (question.budget_usd)
    RC_ASSERT(ProbabilityWithin(c.time, c.charge.HoursFor(*question.budget_usd) + 1e-9) >= sure);
}

}  // namespace
}  // namespace stallscope
