#include "stallscope/supervise/launch_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using Variables = std::map<std::string, std::string>;
using testing::HasSubstr;

std::optional<LaunchedRank> Read(const Variables& variables) {
  return ReadLaunchEnvironment([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

/// The sentence that the user sees.
std::string Complaint(const Variables& variables) {
  try {
    Read(variables);
  } catch (const UsageError& error) {
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  return "none";
}

TEST(LaunchEnvironment, APlainShellIsNoLaunch) {
  EXPECT_FALSE(Read({}));
  EXPECT_FALSE(Read({{"MASTER_ADDR", "10.0.0.1"}, {"LOCAL_RANK", "1"}}));
}

TEST(LaunchEnvironment, TorchrunSaysEverything) {
  const auto rank = Read({{"RANK", "3"},
                          {"WORLD_SIZE", "4"},
                          {"LOCAL_RANK", "1"},
                          {"LOCAL_WORLD_SIZE", "2"},
                          {"GROUP_RANK", "1"},
                          {"MASTER_ADDR", "host0"},
                          {"MASTER_PORT", "29500"},
                          {"TORCHELASTIC_RUN_ID", "none"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                          {"SLURM_PROCID", "0"}});
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 3);
  EXPECT_EQ(rank->local_rank, 1);
  EXPECT_EQ(rank->world_size, 4);
  EXPECT_EQ(rank->local_world_size, 2);
  EXPECT_EQ(rank->node_rank, 1);
  EXPECT_EQ(rank->master_addr, "host0");
  EXPECT_EQ(rank->master_port, 29500);
  EXPECT_EQ(rank->launcher, "torchrun");
  EXPECT_EQ(rank->job_id, "none-29500");
  EXPECT_TRUE(rank->agent_store);
}

TEST(LaunchEnvironment, AKubernetesPodIsTheOnlyRankOfItsMachine) {
  const auto rank =
      Read({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "job-master-0"}, {"MASTER_PORT", "23456"}});
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->local_rank, 0);
  EXPECT_FALSE(rank->local_world_size);
  EXPECT_FALSE(rank->agent_store);
  EXPECT_EQ(rank->job_id, "job-master-0-23456");
}

TEST(LaunchEnvironment, MpirunSpeaksForItself) {
  const auto rank = Read({{"OMPI_COMM_WORLD_RANK", "1"},
                          {"OMPI_COMM_WORLD_SIZE", "2"},
                          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                          {"OMPI_COMM_WORLD_NODE_RANK", "1"},
                          {"OMPI_MCA_ess_base_jobid", "3504340993"}});
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 1);
  EXPECT_EQ(rank->local_world_size, 2);
  EXPECT_FALSE(rank->node_rank) << "Open MPI's NODE_RANK is not the machine's number";
  EXPECT_FALSE(rank->master_addr);
  EXPECT_EQ(rank->launcher, "mpirun");
  EXPECT_EQ(rank->job_id, "3504340993");
}

const Variables kSrun = {{"SLURM_PROCID", "4"},
                         {"SLURM_NTASKS", "5"},
                         {"SLURM_LOCALID", "0"},
                         {"SLURM_NODEID", "2"},
                         {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
                         {"SLURM_JOB_NODELIST", "gpu[07-09]"},
                         {"SLURM_JOB_ID", "812"},
                         {"SLURM_STEP_ID", "3"}};

TEST(LaunchEnvironment, SrunNamesTheFirstNodeAsMaster) {
  const auto rank = Read(kSrun);
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->rank, 4);
  EXPECT_EQ(rank->world_size, 5);
  EXPECT_EQ(rank->local_world_size, 1);
  EXPECT_EQ(rank->node_rank, 2);
  EXPECT_EQ(rank->master_addr, "gpu07");
  EXPECT_EQ(rank->launcher, "srun");
  EXPECT_EQ(rank->job_id, "812.3");
}

TEST(LaunchEnvironment, AnExplicitMasterWinsOverTheNodeList) {
  Variables variables = kSrun;
  variables["MASTER_ADDR"] = "10.1.0.7";
  EXPECT_EQ(Read(variables)->master_addr, "10.1.0.7");
}

TEST(LaunchEnvironment, AStepOnOtherNodesHasItsOwnMaster) {
  Variables variables = kSrun;
  variables["SLURM_STEP_NODELIST"] = "gpu[08-09]";
  EXPECT_EQ(Read(variables)->master_addr, "gpu08");
}

TEST(LaunchEnvironment, SlurmShellsAndBatchScriptsAreNoLaunch) {
  Variables lonely = kSrun;
  lonely["SLURM_PROCID"] = "0";
  lonely["SLURM_NTASKS"] = "1";
  EXPECT_FALSE(Read(lonely));
  lonely.erase("SLURM_NTASKS");
  EXPECT_FALSE(Read(lonely));
  Variables batch = kSrun;  // sbatch -n 5: the script itself is no step
  batch["SLURM_PROCID"] = "0";
  batch.erase("SLURM_STEP_ID");
  EXPECT_FALSE(Read(batch));
  batch["SLURM_STEP_ID"] = "4294967290";  // salloc's interactive step
  EXPECT_FALSE(Read(batch));
}

TEST(LaunchEnvironment, HalfSetVariablesAreNamed) {
  EXPECT_EQ(Complaint({{"RANK", "0"}}), "RANK is set, but WORLD_SIZE is not");
  EXPECT_EQ(Complaint({{"WORLD_SIZE", "2"}}), "WORLD_SIZE is set, but RANK is not");
  EXPECT_THAT(Complaint({{"OMPI_COMM_WORLD_RANK", "0"}}), HasSubstr("OMPI_COMM_WORLD_SIZE is not"));
}

TEST(LaunchEnvironment, MalformedNumbersAreQuoted) {
  for (const char* text : {"abc", "", "-1", "1x", " 1", "1.0", "99999999999999999999"}) {
    EXPECT_THAT(Complaint({{"RANK", text}, {"WORLD_SIZE", "2"}}),
                HasSubstr("RANK='" + std::string(text) + "'"));
  }
  EXPECT_THAT(Complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "http"}}),
              HasSubstr("MASTER_PORT='http'"));
}

TEST(LaunchEnvironment, NumbersThatCannotBeTrueTogetherAreRefused) {
  EXPECT_EQ(Complaint({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), "RANK=2 is not below WORLD_SIZE=2");
  EXPECT_THAT(Complaint({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), HasSubstr("WORLD_SIZE=0"));
  EXPECT_THAT(Complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "70000"}}),
              HasSubstr("MASTER_PORT=70000"));
  EXPECT_THAT(Complaint({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "2"}}),
              HasSubstr("LOCAL_RANK=2 is not below LOCAL_WORLD_SIZE=2"));
  EXPECT_THAT(Complaint({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "4"}}),
              HasSubstr("LOCAL_WORLD_SIZE=4"));
}

}  // namespace
}  // namespace stallscope
