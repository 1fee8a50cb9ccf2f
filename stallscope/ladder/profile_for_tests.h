#pragma once

#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/document/quantity.h"

namespace stallscope {

/// Known to 2 % of a step.
inline Stall SureStall(double seconds, double step_s) {
  const double half = 0.02 * step_s;
  return {.seconds = {seconds, seconds - half, seconds + half},
          .share = {seconds / step_s, (seconds - half) / step_s, (seconds + half) / step_s},
          .distinguishable = seconds > half || seconds < -half};
}

/// The stalls of the profile below, of a step that waits this long for the disk.
inline Stalls StallsWithFetch(double fetch_s) {
  const double step_s = 0.3 + fetch_s;
  Stalls stalls;
  stalls.compute = SureStall(0.1, step_s);
  stalls.interconnect = SureStall(0.05, step_s);
  stalls.contention = SureStall(0.01, step_s);
  stalls.communication = SureStall(0.04, step_s);
  stalls.network = SureStall(0.1, step_s);
  stalls.prep = SureStall(0.05, step_s);
  stalls.copy = SureStall(0.005, step_s);
  stalls.fetch = SureStall(fetch_s, step_s);
  return stalls;
}

/// Every rung of two machines with two CPU devices each, on images of which memory holds half. One worker
/// needs 8 * 37.5 ms = 300 ms for the images of a step of 250 ms, so that a warm step takes 300 ms; a cold
/// one takes 400 ms, and half of these 100 ms remain in the steady state.
inline Profile FullLadder() {
  Profile profile;
  profile.workload.model = "resnet18";
  profile.workload.gradient_tensors = 62;
  profile.workload.gradient_bytes = 46758048;
  profile.workload.batch_per_device = 8;
  profile.workload.bucket = "25MiB";
  profile.workload.loader_workers = 1;
  profile.workload.dataset = {.path = "/data", .kind = "images", .samples = 64000, .bytes = 6'400'000'000};
  profile.cluster = {.nodes = 2, .devices_per_node = 2, .device = "cpu", .backend = "gloo"};
  profile.conditions["solo"].step_time_s = Exactly(0.1);
  profile.conditions["crowd"].step_time_s = Exactly(0.11);
  profile.conditions["node"].step_time_s = Exactly(0.15);
  profile.conditions["cluster"].step_time_s = Exactly(0.25);
  profile.conditions["warm"].step_time_s = Exactly(0.3);
  profile.conditions["warm"].cache = "warm";
  profile.conditions["cold"].step_time_s = Exactly(0.4);
  profile.conditions["cold"].cache = "cold";
  profile.stalls = StallsWithFetch(0.1);
  profile.step_time_s = Exactly(0.4);
  profile.samples_per_s = Exactly(4 * 8 / 0.4);
  profile.first_epoch = FirstEpoch{.step_time_s = Exactly(0.4)};
  profile.steady_state = SteadyState{.step_time_s = Exactly(0.35),
                                     .cached_share = 0.5,
                                     .room_bytes = 3'200'000'000,
                                     .stalls = StallsWithFetch(0.05)};
  profile.loader = LoaderInfo{.read_s = 0.001, .decode_s = 0.0365, .bytes = 100'000};
  profile.loader_limit_s = Exactly(0.3);
  profile.fetch_limit_s = Exactly(0.4);
  profile.rounds_kept = 12;
  profile.stopped_by = "tolerance";
  return profile;
}

/// Without any data: synthetic rungs only.
inline Profile SyntheticLadder() {
  Profile profile = FullLadder();
  for (const char* rung : {"warm", "cold"}) profile.conditions.erase(rung);
  profile.stalls = StallsWithFetch(0);
  profile.stalls.prep = profile.stalls.copy = profile.stalls.fetch = std::nullopt;
  profile.first_epoch.reset();
  profile.steady_state.reset();
  profile.loader.reset();
  profile.loader_limit_s.reset();
  profile.fetch_limit_s.reset();
  profile.workload.dataset.reset();
  profile.workload.loader_workers.reset();
  return profile;
}

/// The first finding with this in its `what`; nothing where none has it.
inline const Finding* FindFinding(const std::vector<Finding>& findings, const std::string& what) {
  for (const Finding& finding : findings) {
    if (finding.what.find(what) != std::string::npos) return &finding;
  }
  return nullptr;
}

}  // namespace stallscope
