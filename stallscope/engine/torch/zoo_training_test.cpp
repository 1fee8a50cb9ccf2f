#include <gtest/gtest.h>
#include <torch/torch.h>

#include "stallscope/engine/torch/two_ranks_for_tests.h"
#include "stallscope/engine/torch/zoo_cases_for_tests.h"

namespace stallscope {
namespace {

class EveryNetworkOnTwoRanks : public testing::TestWithParam<ZooCase> {};

TEST_P(EveryNetworkOnTwoRanks, LowersItsLossAndStaysTheSameOnBoth) {
  TrainingConfig config;
  config.model = GetParam().spec;
  // A batch norm over the two values of two samples divides by next to nothing, and training explodes.
  const Network table = BuildSmall(GetParam().spec, GetParam().size);
  const bool has_norms = !BufferTensors(table).empty();
  config.batch = has_norms ? 4 : 2;
  double first = 0;
  double last = 0;
  std::vector<double> weights(2);
  std::mutex mutex;
  WithTwoRanks(config, SmallOptions(GetParam().spec, GetParam().size), [&](int rank, Trainer& trainer) {
    at::globalContext().setFlushDenormal(true);
    TrainableNetwork& network = trainer.network();
    const SampleBatch batch = network.SyntheticBatch(config.batch, static_cast<std::uint64_t>(rank));
    trainer.SetBatches({batch});
    // Dropout makes single losses jump, so they are compared without it; batch norms need the batch's own
    // statistics, for the running ones lag behind.
    const auto evaluate = [&] {
      const at::NoGradGuard no_grad;
      network.SetTraining(!network.Buffers().empty());
      const auto loss = network.Loss(batch).item<double>();
      network.SetTraining(true);
      return loss;
    };
    const double before = evaluate();
    trainer.RunBlock(Sync::kNode, DataSource::kResident, StepsThatLowerTheLoss(GetParam(), table));
    const double after = evaluate();
    double sum = 0;
    for (const at::Tensor& parameter : network.Parameters()) sum += parameter.detach().sum().item<double>();
    const std::lock_guard lock(mutex);
    first += before;
    last += after;
    weights[static_cast<std::size_t>(rank)] = sum;
  });
  EXPECT_LT(last, first);
  EXPECT_EQ(weights[0], weights[1]);
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetworkOnTwoRanks, testing::ValuesIn(TwoRankCases()), ZooCaseName);

}  // namespace
}  // namespace stallscope
