#pragma once

#include <string>
#include <vector>

#include "stallscope/law/law_points.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/stats/random.h"

namespace stallscope {

/// A sweep whose stalls follow a known law, each round off by `noise` of its step.
inline Sweep MadeSweep(const ExchangeLaw& law, double noise) {
  Sweep sweep;
  sweep.origin.host.name = "made";
  sweep.origin.host.kernel = "1";
  sweep.origin.tool.version = "0";
  sweep.origin.memory_bytes_per_s = 16e9;
  Random random(5);
  const auto add = [&](const std::string& spec, const std::string& family, double compute_s) {
    for (const char* bucket : {"tensor", "25MiB", "model"}) {
      SweptCell swept;
      swept.cell.network = {.spec = spec, .family = family, .batch = 8, .image_size = 16, .classes = 10};
      swept.cell.bucket = bucket;
      for (const char* link : {"unshaped", "1Gbit", "200Mbit"})
        swept.cell.links.push_back(ParseSweepLink(link));
      for (int i = 0; i < 4; ++i) {
        SweepRound& round = swept.rounds.emplace_back();
        round.index = i;
        round.crowd.step_s = compute_s;
        round.crowd.steps_s = {compute_s};
        round.crowd.parts = {
            .forward_s = 0.3 * compute_s, .backward_s = 0.6 * compute_s, .optimizer_s = 0.1 * compute_s};
        for (const SweepLink& link : swept.cell.links) round.links[link.name].steps_s = {compute_s};
      }
      // The stalls are those of the steps that the fit will see.
      Sweep alone{sweep.origin, {swept}, {}, {}};
      const FitData data = FitDataOf(alone);
      for (const FitPoint& point : data.points) {
        const double stall = StallUnder(law, point.step).count();
        for (SweepRound& round : swept.rounds) {
          const double step = (compute_s + stall) * (1 + noise * random.Normal());
          round.links[point.place.link].step_s = step;
          round.links[point.place.link].steps_s = {step};
        }
      }
      sweep.wanted.push_back(swept.cell);
      sweep.cells.push_back(std::move(swept));
    }
  };
  add("mlp:layers=2,width=2692", "layers", 0.010);
  add("mlp:layers=8,width=529", "layers", 0.014);
  add("mlp:layers=32,width=251", "layers", 0.018);
  add("mlp:layers=128,width=125", "layers", 0.024);
  add("mlp:layers=8,width=154", "bytes", 0.003);
  add("mlp:layers=8,width=1608", "bytes", 0.110);
  return sweep;
}

}  // namespace stallscope
