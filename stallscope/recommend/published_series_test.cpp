// Chosen by prediction, judged by what was measured: the published series whose machines have prices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "stallscope/predict/measured_series.h"
#include "stallscope/recommend/calibrate.h"
#include "stallscope/recommend/choose.h"

namespace stallscope {
namespace {

const std::filesystem::path kTable =
    std::filesystem::path(__FILE__).parent_path() / "../../../shared/data/measurements/multi_gpu.csv";

/// The machine that was measured, else the cheapest that has the same GPUs, as many, and a price.
const Machine* RentedFor(const MeasuredCase& measured, const Catalog& catalog) {
  const auto price = [&](const Machine& machine) { return catalog.UsdPerHour(machine, "", false); };
  if (const Machine* named = catalog.MachineOrNull(measured.row.instance)) {
    if (price(*named) && named->gpus == measured.gpus_per_node) return named;
  }
  const Machine* best = nullptr;
  for (const Machine& machine : catalog.machines()) {
    if (measured.gpu == nullptr || machine.gpu != measured.gpu->name) continue;
    if (machine.gpus != measured.gpus_per_node || !price(machine)) continue;
    if (best == nullptr || *price(machine) < *price(*best)) best = &machine;
  }
  return best;
}

/// One series: configurations as predicted from its smallest row, and what each step was measured to take.
struct Priced {
  std::vector<Machine> machines;
  std::vector<Configuration> configurations;
  std::vector<double> measured_s;
  std::vector<std::vector<Offer>> offers;
};

Priced PriceSeries(const MeasuredSeries& series, const Catalog& catalog) {
  Priced priced;
  const ParameterValues& values = ShippedParameters().values;
  const MeasuredCase& known = series.cases[*series.known];
  for (const MeasuredCase& measured : series.cases) {
    const Machine* machine = measured.reason ? nullptr : RentedFor(measured, catalog);
    if (machine == nullptr) continue;
    Configuration c{.machine = priced.machines.size(),
                    .nodes = measured.nodes,
                    .devices = measured.nodes * measured.gpus_per_node,
                    .batch = static_cast<int>(measured.batch)};
    if (&measured == &known) {
      c.step_s = LogNormal(known.step.count(), kRepeatSpread);
    } else {
      const ScaledStep step = Scale(known.scaling, known.step, measured.scaling, values);
      c.step_s = LogNormal(step.step.count(), step.log_spread);
    }
    priced.machines.push_back(*machine);
    priced.configurations.push_back(c);
    priced.measured_s.push_back(measured.step.count());
    priced.offers.push_back(
        {{"", Market::kOnDemand, *catalog.UsdPerHour(*machine, "", false), "", false, ""}});
  }
  return priced;
}

/// The price of the work, as measured.
double MeasuredUsd(const Priced& priced, std::size_t i, const JobSize& job) {
  const Configuration& c = priced.configurations[i];
  const double hours = job.Steps(static_cast<double>(c.batch) * c.devices) * priced.measured_s[i] / 3600;
  return c.nodes * priced.offers[i].front().usd_hour * hours;
}

TEST(PublishedSeries, TheChoiceCostsAtMostFivePercentMoreThanTheBestThatWasMeasured) {
  if (!std::filesystem::exists(kTable)) GTEST_SKIP() << kTable << " is not here";
  const Catalog catalog = Catalog::Load();
  const MeasuredTable table(ReadMeasurementFile(kTable.string()), catalog, {});
  const JobSize job{.samples = 1e6, .epochs = 10};
  int choices = 0;
  for (const MeasuredSeries& series : table.series()) {
    if (!series.known || series.cases[*series.known].scaling.sync != GradientSync::kAllReduce) continue;
    const Priced priced = PriceSeries(series, catalog);
    if (priced.configurations.size() < 2) continue;
    const CandidateSet set = MakeCandidates(priced.configurations, priced.offers, priced.machines, job, {});
    const auto choice = Choose(set, OrderByCost(set, priced.configurations), Question{});
    ASSERT_TRUE(choice);
    double best = INFINITY;
    for (std::size_t i = 0; i < priced.configurations.size(); ++i) {
      best = std::min(best, MeasuredUsd(priced, i, job));
    }
    const std::size_t chosen = set.candidates[*choice].configuration;
    EXPECT_LE(MeasuredUsd(priced, chosen, job), 1.05 * best)
        << series.name << ": " << FullName(priced.machines[chosen]) << " x "
        << priced.configurations[chosen].nodes;
    ++choices;
  }
  EXPECT_GE(choices, 20) << "the table has series on K80, V100, A100 and T4, which are rented out";
}

}  // namespace
}  // namespace stallscope
