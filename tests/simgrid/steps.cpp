#include <chrono>

#include "stallscope/cost/topology_shapes.h"
#include "stallscope/predict/gradient_buckets.h"
#include "tests/simgrid/machines.h"
#include "tests/simgrid/schedules.h"
#include "tests/simgrid/setup.h"

namespace stallscope::simulated {
namespace {

using namespace std::chrono_literals;

/// Our evaluation is too short for a clock: it is timed so many times over.
constexpr int kRepeats = 1000;

/// Of one ring: more would take SimGrid a minute.
constexpr std::size_t kMostMessages = 12000;

struct Trained {
  const char* label;
  const char* name;
  Bytes bucket;
  cost::StepCompute compute;
};
/// About what a V100 needs for 32 samples.
const Trained kNetworks[] = {
    {"resnet50", "resnet50", kUsualBucket, {30ms, 60ms, 2ms}},
    {"resnet50, every tensor alone", "resnet50", {0}, {30ms, 60ms, 2ms}},
    {"vgg11", "vgg11", kUsualBucket, {40ms, 80ms, 6ms}},
    {"mobilenet_v2, buckets of 1 MiB", "mobilenet_v2", {1 << 20}, {12ms, 25ms, 1ms}},
};

void Join(std::vector<int>& to, const std::vector<int>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

int Compute(Schedule& schedule, double seconds, std::vector<int> after) {
  schedule.push_back({.after = std::move(after), .compute_s = seconds});
  return static_cast<int>(schedule.size()) - 1;
}

}  // namespace

Setup& Setup::Step(const std::string& network, const cost::StepCompute& compute,
                   const std::vector<cost::GradientBucket>& buckets) {
  const cost::RingPlan& plan = machines_ == 1 ? plan_.inside : *plan_.across;
  Cluster cluster = NewCluster();
  std::vector<std::vector<int>> rings;
  for (const cost::Ring& ring : plan.rings) rings.push_back(RingEndpoints(cluster, ring));
  const int ranks = plan_.gpus * machines_;
  // The rank at a place of a ring: the ring passes machine after machine, GPUs in its own order.
  const auto rank_at = [&](std::size_t ring, int place) {
    return place / plan_.gpus * plan_.gpus + plan.rings[ring].gpus[place % plan_.gpus];
  };
  Cell cell{.topology = name_, .collective = network};
  Schedule& schedule = cell.schedule;
  std::vector<std::vector<int>> worked(ranks), exchanged(ranks);
  for (int r = 0; r < ranks; ++r) worked[r] = {Compute(schedule, compute.forward.count(), {})};
  double done = 0;
  for (const cost::GradientBucket& bucket : buckets) {
    cell.payload.value += bucket.size.value;
    for (int r = 0; r < ranks && bucket.ready > done; ++r) {
      worked[r] = {Compute(schedule, (bucket.ready - done) * compute.backward.count(), worked[r])};
    }
    done = std::max(done, bucket.ready);
    std::vector<std::vector<int>> received(ranks);
    const int first = static_cast<int>(schedule.size());
    for (std::size_t i = 0; i < rings.size(); ++i) {
      Awaited before(ranks);
      for (int place = 0; place < ranks; ++place) {
        before[place] = worked[rank_at(i, place)];
        Join(before[place], exchanged[rank_at(i, place)]);
      }
      const double share = plan.rings[i].bandwidth.value / plan.bandwidth.value;
      const Awaited after =
          AddRing(schedule, rings[i], 2 * (ranks - 1), bucket.size.value * share / ranks, before);
      // What a rank had waited for before this bucket has come: only the bucket's own messages are new.
      for (int place = 0; place < ranks; ++place) {
        for (const int id : after[place]) {
          if (id >= first) received[rank_at(i, place)].push_back(id);
        }
      }
    }
    exchanged = std::move(received);
  }
  for (int r = 0; r < ranks; ++r) {
    std::vector<int> all = worked[r];
    Join(all, exchanged[r]);
    Compute(schedule, compute.optimizer.count(), std::move(all));
  }
  const auto begin = std::chrono::steady_clock::now();
  cost::StepTimes times;
  for (int i = 0; i < kRepeats; ++i) times = cost::SimulateStep(compute, buckets, plan_, machines_);
  cell.reckoning_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kRepeats;
  cell.formula_s = times.step.count();
  cell.exposed_s = times.exposed.count();
  cells_.cells.push_back(std::move(cell));
  return *this;
}

void AddSteps(Cells& cells) {
  for (const Trained& trained : kNetworks) {
    const auto buckets = BucketsOf(BuildNetwork(trained.name, {}), 4, trained.bucket);
    const auto add = [&](const char* name, const cost::Topology& machine, const cost::Network& network = {},
                         int machines = 1) {
      const std::size_t ranks = machines * machine.All(cost::Part::kGpu).size();
      if (2 * buckets.size() * ranks * ranks > kMostMessages) return;
      Setup(cells, name, machine, network, machines).Step(trained.label, trained.compute, buckets);
    };
    const cost::PcieTree dgx = Tree(8, 2, 2, 4);
    add("PCIe, 8 GPUs, 4 per switch (p2.8xlarge)", MakePcieTree(Tree(8, 4, 1, 1)));
    add("half a hybrid cube, 4 V100 (p3.8xlarge)",
        MakeNvlinkMesh(Tree(4, 0, 1, 1), cost::HybridCubeV100(), kNvlink2));
    add("NVLink hybrid cube, 8 V100", MakeNvlinkMesh(dgx, cost::HybridCubeV100(), kNvlink2));
    add("NVSwitch, 8 GPUs", MakeNvswitch(dgx, kTwelveNvlink3));
    add("4 machines, 1 GPU, 10 Gbit", MakePcieTree(Tree(1, 0, 1, 1)), kTenGigabit, 4);
    add("2 machines, 4 GPUs on PCIe, 10 Gbit", MakePcieTree(Tree(4, 2, 1, 1)), kTenGigabit, 2);
    add("4 machines, NVSwitch, 8 GPUs, 4 x 100 Gbit", MakeNvswitch(dgx, kTwelveNvlink3), kHundredGigabit, 4);
  }
}

}  // namespace stallscope::simulated
