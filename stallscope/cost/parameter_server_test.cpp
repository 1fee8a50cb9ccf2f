#include "stallscope/cost/parameter_server.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope::cost {
namespace {

using namespace std::chrono_literals;

const Link kTenGigabit{.latency = 20us, .bandwidth = GigabitsPerSecond(10)};

TEST(ParameterServer, OneServersLinkIsSharedByAllWorkers) {
  // 4 workers push 100 MB each into 1.25 GB/s: 320 ms, and pull the same.
  const ParameterServers cluster{.workers = 4, .servers = 1, .worker = kTenGigabit, .server = kTenGigabit};
  EXPECT_NEAR(ParameterServerTime({100e6}, cluster).count(), 2 * (20e-6 + 0.320), 1e-12);
}

TEST(ParameterServer, EnoughServersLeaveTheWorkersLinkAsTheLimit) {
  // 2 workers, 4 servers: 2 * 25 MB per server take 40 ms, but each worker sends 100 MB: 80 ms.
  const ParameterServers cluster{.workers = 2, .servers = 4, .worker = kTenGigabit, .server = kTenGigabit};
  EXPECT_NEAR(ParameterServerTime({100e6}, cluster).count(), 2 * (20e-6 + 0.080), 1e-12);
}

TEST(ParameterServer, BesideTheWorkersEachServerHearsFromTheOthers) {
  // 4 machines, a server in each: 3 others send 25 MB: 75 MB / 1.25 GB/s = 60 ms; what the ring needs as
  // well.
  const ParameterServers cluster{.workers = 4, .servers = 4, .worker = kTenGigabit, .colocated = true};
  EXPECT_NEAR(ParameterServerTime({100e6}, cluster).count(), 2 * (20e-6 + 0.060), 1e-12);
}

TEST(ParameterServer, AddingUpTakesTime) {
  // One server adds 4 * 100 MB at 4 GB/s: 100 ms more.
  ParameterServers cluster{.workers = 4, .servers = 1, .worker = kTenGigabit, .server = kTenGigabit};
  const Seconds free = ParameterServerTime({100e6}, cluster);
  cluster.sum_rate = {4e9};
  EXPECT_NEAR((ParameterServerTime({100e6}, cluster) - free).count(), 0.1, 1e-12);
}

TEST(ParameterServer, OneWorkerBesideItsServerSendsNothing) {
  const ParameterServers beside{.workers = 1, .servers = 1, .worker = kTenGigabit, .colocated = true};
  EXPECT_EQ(ParameterServerTime({100e6}, beside).count(), 0);
  // With the server elsewhere it pushes and pulls 80 ms each.
  const ParameterServers apart{.workers = 1, .servers = 1, .worker = kTenGigabit, .server = kTenGigabit};
  EXPECT_NEAR(ParameterServerTime({100e6}, apart).count(), 2 * (20e-6 + 0.080), 1e-12);
}

TEST(ParameterServer, CannotSitInMoreMachinesThanThereAre) {
  EXPECT_THROW(
      ParameterServerTime({1}, {.workers = 2, .servers = 3, .worker = kTenGigabit, .colocated = true}),
      Error);
  EXPECT_THROW(ParameterServerTime({1}, {.workers = 0}), Error);
  EXPECT_THROW(ParameterServerTime({1}, {.servers = 0}), Error);
}

TEST(HostReduce, CopiesUpAddsAndCopiesDown) {
  // 8 devices with 3 GB/s each: 120 MB take 40 ms up and 40 ms down, plus 10 us each; 8 * 120 MB at 9.6 GB/s
  // take 100 ms.
  const Link copy{.latency = 10us, .bandwidth = {3e9}};
  EXPECT_NEAR(HostReduceTime({120e6}, 8, copy, {9.6e9}).count(), 0.080 + 20e-6 + 0.100, 1e-12);
  EXPECT_EQ(HostReduceTime({120e6}, 1, copy, {9.6e9}).count(), 0);
}

}  // namespace
}  // namespace stallscope::cost
