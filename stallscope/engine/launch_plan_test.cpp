#include "stallscope/engine/launch_plan.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

LaunchedRank Launched(int rank, int world, int local_rank, std::optional<int> local_world) {
  LaunchedRank launched;
  launched.rank = rank;
  launched.world_size = world;
  launched.local_rank = local_rank;
  launched.local_world_size = local_world;
  launched.launcher = "mpirun";
  launched.job_id = "job";
  return launched;
}

TEST(LaunchPlan, WithoutFlagsTheDefaultRanksRunHere) {
  const LaunchPlan plan = PlanLaunch({}, std::nullopt, 2);
  EXPECT_EQ(plan.local_ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(plan.meeting, MeetingConfig::Kind::kFile);
  EXPECT_TRUE(plan.Leads());
}

TEST(LaunchPlan, TheSecondMachineStartsTheUpperRanks) {
  const LaunchRequest request{.nproc_per_node = 4, .nnodes = 2, .node_rank = 1, .master_addr = "10.0.0.1"};
  const LaunchPlan plan = PlanLaunch(request, std::nullopt, 1);
  EXPECT_EQ(plan.rank, 4);
  EXPECT_EQ(plan.world_size, 8);
  EXPECT_FALSE(plan.Leads());
  EXPECT_EQ(plan.master_port, 29500);
}

TEST(LaunchPlan, WrongFlagsAreNamed) {
  const auto wrong = [](const LaunchRequest& request) {
    try {
      PlanLaunch(request, std::nullopt, 1);
    } catch (const UsageError& e) {
      EXPECT_FALSE(e.hint.empty());
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(wrong({.nnodes = 2, .node_rank = 2, .master_addr = "a"}),
            "--node-rank 2 is out of range for --nnodes 2");
  EXPECT_EQ(wrong({.nnodes = 2, .node_rank = -1, .master_addr = "a"}),
            "--node-rank -1 is out of range for --nnodes 2");
  EXPECT_EQ(wrong({.node_rank = 3}), "--node-rank 3 is out of range: there is one machine");
  EXPECT_EQ(wrong({.nnodes = 2}), "--nnodes needs --node-rank and --master-addr");
  EXPECT_EQ(wrong({.nproc_per_node = 0}), "--nproc-per-node 0 is no number of machines or ranks");
  EXPECT_EQ(wrong({.master_port = 70000}), "--master-port 70000 is no port");
}

TEST(LaunchPlan, ALauncherOnOneMachineNeedsNoAddress) {
  const LaunchPlan plan = PlanLaunch({}, Launched(1, 2, 1, 2), 9);
  EXPECT_EQ(plan.meeting, MeetingConfig::Kind::kFile);
  EXPECT_EQ(plan.local_ranks, std::vector<int>{1});
  EXPECT_EQ(plan.nodes, 1);
}

TEST(LaunchPlan, ALauncherOverMachinesNeedsOne) {
  EXPECT_THROW(PlanLaunch({}, Launched(1, 4, 1, 2), 1), UsageError);
  const LaunchPlan plan = PlanLaunch({.master_addr = "10.0.0.1"}, Launched(3, 4, 1, 2), 1);
  EXPECT_EQ(plan.node, 1);
  EXPECT_EQ(plan.meeting, MeetingConfig::Kind::kTcp);
}

TEST(LaunchPlan, TorchrunsAgentIsAskedAndNotReplaced) {
  LaunchedRank launched = Launched(0, 2, 0, 2);
  launched.agent_store = true;
  launched.master_addr = "127.0.0.1";
  launched.master_port = 1234;
  EXPECT_EQ(PlanLaunch({}, launched, 1).meeting, MeetingConfig::Kind::kAgent);
}

TEST(LaunchPlan, RanksDealtOutRoundRobinAreRefused) {
  // Rank 1 of 4 as device 0 of 2: the launcher dealt ranks out to the machines in turn.
  EXPECT_THROW(PlanLaunch({.master_addr = "a"}, Launched(1, 4, 0, 2), 1), UsageError);
}

TEST(LaunchPlan, FlagsThatALauncherDecidesAreRefused) {
  EXPECT_THROW(PlanLaunch({.nproc_per_node = 2}, Launched(0, 2, 0, 2), 1), UsageError);
}

TEST(LaunchPlan, PlacesAreSettledFromWhatTheRanksSay) {
  LaunchedRank launched = Launched(2, 4, 0, std::nullopt);
  launched.master_addr = "10.0.0.1";
  LaunchPlan plan = PlanLaunch({}, launched, 1);
  ASSERT_TRUE(plan.places_unknown);
  SettlePlaces(plan, {"a", "a", "b", "b"});
  EXPECT_EQ(plan.node, 1);
  EXPECT_EQ(plan.devices_per_node, 2);
  plan.places_unknown = true;
  EXPECT_THROW(SettlePlaces(plan, {"a", "b", "a", "b"}), UsageError);
  EXPECT_THROW(SettlePlaces(plan, {"a", "a", "a", "b"}), UsageError);
}

}  // namespace
}  // namespace stallscope
