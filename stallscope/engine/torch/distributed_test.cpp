#include <gtest/gtest.h>
#include <torch/torch.h>

#include "stallscope/engine/torch/bf16_kernels.h"
#include "stallscope/engine/torch/two_ranks_for_tests.h"

namespace stallscope {
namespace {

std::vector<at::Tensor> CopyOf(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

struct Setting {
  std::string optimizer;
  int accumulate;
  std::string bucket;
};

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.optimizer << ", accumulate " << setting.accumulate << ", bucket " << setting.bucket;
}

class TwoRanks : public testing::TestWithParam<Setting> {};

constexpr int kBatch = 4;

TrainingConfig ConfigOf(const Setting& setting) {
  TrainingConfig config;
  config.model = "mlp:layers=4,width=64";
  config.batch = kBatch;
  config.optimizer = setting.optimizer;
  config.accumulate = setting.accumulate;
  config.bucket = setting.bucket;
  return config;
}

/// Each rank's own micro-batches, from one module so that all sides see the same samples.
std::vector<SampleBatch> BatchesOf(TrainableNetwork& network, int rank, int count) {
  std::vector<SampleBatch> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(network.SyntheticBatch(kBatch, static_cast<std::uint64_t>(100 * rank + i)));
  }
  return batches;
}

TEST_P(TwoRanks, StayBitIdenticalAndEqualOneProcessOnTheJoinedBatch) {
  const TrainingConfig config = ConfigOf(GetParam());
  std::vector<std::vector<at::Tensor>> trained(2);
  WithTwoRanks(config, {}, [&](int rank, Trainer& trainer) {
    trainer.SetBatches(BatchesOf(trainer.network(), rank, config.accumulate));
    trainer.RunBlock(Sync::kNode, DataSource::kResident, 3);
    trainer.RunBlock(Sync::kNone, DataSource::kResident, 2);
    if (rank == 0) trainer.RunBlock(Sync::kNone, DataSource::kResident, 3);  // solo: the other one waits
    trainer.RunBlock(Sync::kNode, DataSource::kHost, 2);
    trainer.RunBlock(Sync::kNone, DataSource::kHost, 1);
    trainer.RunBlock(Sync::kNode, DataSource::kResident, 1);
    trained[static_cast<std::size_t>(rank)] = CopyOf(trainer.network().Parameters());
  });
  for (std::size_t i = 0; i < trained[0].size(); ++i) {
    EXPECT_TRUE(at::equal(trained[0][i], trained[1][i])) << "tensor " << i << " differs between the ranks";
  }

  // One process, 3 + 2 + 1 steps by hand with torch's own optimiser, on both ranks' samples at once.
  const auto network = MakeNetworkModule(BuildNetwork(config.model, {}), config.seed);
  const std::vector<at::Tensor> parameters = network->Parameters();
  const std::vector<at::Tensor> start = CopyOf(parameters);
  const auto optimizer = MakeOptimizer(config.optimizer, parameters);
  const auto first = BatchesOf(*network, 0, config.accumulate);
  const auto second = BatchesOf(*network, 1, config.accumulate);
  for (int step = 0; step < 6; ++step) {
    optimizer->zero_grad();
    for (std::size_t i = 0; i < first.size(); ++i) {
      const SampleBatch joined = {at::cat({first[i].inputs, second[i].inputs}),
                                  at::cat({first[i].targets, second[i].targets})};
      (network->Loss(joined) / config.accumulate).backward();
    }
    optimizer->step();
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double difference = (parameters[i] - trained[0][i]).abs().max().item<double>();
    const double moved = (parameters[i] - start[i]).abs().max().item<double>();
    EXPECT_GT(moved, 1e-5) << "tensor " << i << " was not trained at all";
    // fp32 carries 7 digits; sums in another order lose about one of them in six steps.
    EXPECT_LT(difference, 1e-3 * moved + 1e-6) << "tensor " << i;
  }
}

std::vector<Setting> AllSettings() {
  std::vector<Setting> settings;
  for (const char* optimizer : {"sgd", "adamw"}) {
    for (const int accumulate : {1, 3}) {
      // 20kB makes several buckets out of this network's tensors.
      for (const char* bucket : {"20kB", "tensor", "model"})
        settings.push_back({optimizer, accumulate, bucket});
    }
  }
  return settings;
}

INSTANTIATE_TEST_SUITE_P(AllSettings, TwoRanks, testing::ValuesIn(AllSettings()));

TEST(Recording, BucketsTellWhenTheyWereReadyBegunAndEnded) {
  TrainingConfig config = ConfigOf({"sgd", 1, "tensor"});
  std::vector<std::vector<StepRecord>> steps(2);
  std::size_t tensors = 0;
  WithTwoRanks(config, {}, [&](int rank, Trainer& trainer) {
    trainer.RunBlock(Sync::kNode, DataSource::kResident, 2);  // the Reducer rebuilds its buckets here
    steps[static_cast<std::size_t>(rank)] = trainer.RunBlock(Sync::kNode, DataSource::kResident, 4);
    if (rank == 0) tensors = trainer.network().Parameters().size();
  });
  for (const StepRecord& step : steps[0]) {
    ASSERT_EQ(step.buckets.size(), tensors) << "one all-reduce per tensor";
    for (const BucketTimes& bucket : step.buckets) {
      EXPECT_GT(bucket.bytes, 0);
      EXPECT_GE(bucket.ready_s, step.forward_s);
      EXPECT_LE(bucket.ready_s, bucket.begin_s);
      EXPECT_LT(bucket.begin_s, bucket.end_s);
      EXPECT_LE(bucket.end_s, step.total_s);
    }
  }
}

TEST(Recording, ThePartsOfAStepAddUpToIt) {
  std::vector<StepRecord> steps;
  WithTwoRanks(ConfigOf({"sgd", 3, "25MiB"}), {}, [&](int rank, Trainer& trainer) {
    auto records = trainer.RunBlock(Sync::kNode, DataSource::kHost, 5);
    if (rank == 0) steps = std::move(records);
  });
  for (const StepRecord& step : steps) {
    const double parts = step.data_wait_s + step.copy_s + step.forward_s + step.backward_s +
                         step.exposed_communication_s + step.optimizer_s;
    EXPECT_LE(parts, step.total_s);
    EXPECT_GT(parts, 0.5 * step.total_s);  // what is left is the recording and the scheduler's
    EXPECT_GT(step.copy_s, 0);
    EXPECT_GT(step.exposed_communication_s, 0);
  }
}

TEST(Recording, WithoutItNoBucketsAreNoted) {
  WithTwoRanks(ConfigOf({"sgd", 1, "25MiB"}), {}, [&](int, Trainer& trainer) {
    trainer.SetRecording(false);
    for (const StepRecord& step : trainer.RunBlock(Sync::kNode, DataSource::kResident, 3)) {
      EXPECT_TRUE(step.buckets.empty());
      EXPECT_GT(step.total_s, 0);
    }
  });
}

TEST(BatchNorm, BuffersFollowTheFirstRankOnlyWhenBroadcast) {
  TrainingConfig config;
  config.model = "resnet18";
  config.batch = 2;
  for (const bool broadcast : {true, false}) {
    config.broadcast_buffers = broadcast;
    WithTwoRanks(config, {.image_size = 32, .classes = 10}, [&](int rank, Trainer& trainer) {
      const at::Tensor mean = trainer.network().Buffers().at(0);
      if (rank == 1) mean.fill_(1000);
      trainer.RunBlock(Sync::kNode, DataSource::kResident, 1);
      if (rank != 1) return;
      // One step keeps 0.9 of what the statistics were: 900 if they were this rank's own.
      const double largest = mean.abs().max().item<double>();
      EXPECT_EQ(largest > 800, !broadcast) << largest;
    });
  }
}

TEST(Bf16, TrainsWithFp32GradientsOnTheWire) {
  AvoidAmxKernels();
  TrainingConfig config = ConfigOf({"sgd", 1, "model"});
  config.dtype = "bf16";
  std::vector<std::vector<at::Tensor>> trained(2);
  WithTwoRanks(config, {}, [&](int rank, Trainer& trainer) {
    const auto steps = trainer.RunBlock(Sync::kNode, DataSource::kResident, 10);
    EXPECT_LT(steps.back().loss, steps.front().loss);
    std::int64_t bytes = 0;
    for (const at::Tensor& parameter : trainer.network().Parameters()) bytes += parameter.numel() * 4;
    EXPECT_EQ(steps.back().buckets.at(0).bytes, bytes);
    trained[static_cast<std::size_t>(rank)] = CopyOf(trainer.network().Parameters());
  });
  for (std::size_t i = 0; i < trained[0].size(); ++i) EXPECT_TRUE(at::equal(trained[0][i], trained[1][i]));
}

}  // namespace
}  // namespace stallscope
