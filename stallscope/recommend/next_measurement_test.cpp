#include "stallscope/recommend/next_measurement.h"

#include <gtest/gtest.h>

#include "stallscope/recommend/calibrate.h"

namespace stallscope {
namespace {

/// Two machines, one step a sample, an hour's work in 3600 steps; each with its price and uncertainty.
struct TwoMachines {
  std::vector<Machine> machines = std::vector<Machine>(2);
  std::vector<Configuration> configurations;
  std::vector<std::vector<Offer>> offers;
  JobSize job{.samples = 360'000, .epochs = 1};
  CandidateSet set;
  Selection order;

  TwoMachines(double sure_usd, double sure_spread, double other_usd, double other_spread) {
    machines[0].name = "sure";
    machines[1].name = "other";
    for (const double spread : {sure_spread, other_spread}) {
      Configuration c{.machine = configurations.size(), .nodes = 1, .devices = 1, .batch = 1};
      c.step_s = LogNormal(1, spread);
      configurations.push_back(c);
    }
    for (const double usd : {sure_usd, other_usd})
      offers.push_back({{"", Market::kOnDemand, usd, "", false, ""}});
    set = MakeCandidates(configurations, offers, machines, job, {});
    order = OrderByCost(set, configurations);
  }

  std::optional<MeasurementOffer> Next(double deadline_h, std::vector<bool> known = {false, false}) const {
    return NextMeasurementOf(set, configurations, order, {.deadline_h = deadline_h, .budget_usd = {}}, known);
  }
};

TEST(NextMeasurement, AnUncertainCheaperMachineIsWorthMeasuring) {
  // 100 h each. The other costs half, but is too uncertain for 110 h at 90 %.
  const TwoMachines world(10, 0.01, 5, 0.3);
  const auto next = world.Next(110);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->machine, 1U);
  EXPECT_FALSE(next->confirms);
  // In about half of the outcomes some 500 USD are saved; ten minutes cost 0.84 USD.
  EXPECT_GT(next->worth_usd, 100);
  EXPECT_LT(next->worth_usd, 400);
  EXPECT_NEAR(next->usd, 5.0 / 6, 1e-6);
}

TEST(NextMeasurement, WhatIsKnownAlreadyIsNotMeasuredAgain) {
  const TwoMachines world(10, 0.01, 5, 0.3);
  const auto next = world.Next(110, {false, true});
  EXPECT_FALSE(next && next->machine == 1U);
}

TEST(NextMeasurement, AMachineThatCannotBecomeCheaperIsNotWorthIt) {
  const TwoMachines world(10, 0.001, 100, 0.3);
  EXPECT_FALSE(world.Next(110));
}

TEST(NextMeasurement, WhereNothingFitsTheMachineThatMayIsNamed) {
  // 100 h against 98 h: only the uncertain one can turn out to be in time.
  const TwoMachines world(10, 0.001, 10, 0.2);
  const auto next = world.Next(98);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->machine, 1U);
}

}  // namespace
}  // namespace stallscope
