#include "stallscope/engine/torch/network_module.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cctype>

#include "stallscope/base/error.h"
#include "stallscope/engine/torch/memory_reuse.h"
#include "stallscope/engine/torch/zoo_cases_for_tests.h"

namespace stallscope {
namespace {

class EveryNetwork : public testing::TestWithParam<ZooCase> {
 protected:
  void SetUp() override {
    KeepFreedMemory();
    at::manual_seed(1);
  }
};

void ExpectTableAndModuleAgree(const Network& network, int batch) {
  NetworkModule module(network, 1);
  const std::vector<at::Tensor> parameters = module.Parameters();
  const std::vector<GradientTensor> table = GradientTensors(network);
  ASSERT_EQ(parameters.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) EXPECT_EQ(parameters[i].sizes(), table[i].shape);

  std::size_t seen = 0;
  module.SetObserver([&](std::size_t i, const at::Tensor& output) {
    std::vector<std::int64_t> expected = network.layers[i].output_shape;
    expected.insert(expected.begin(), batch);
    EXPECT_EQ(output.sizes(), expected) << network.layers[i].name;
    ++seen;
  });
  std::vector<std::size_t> delivered;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    // Returns nothing: the gradient stays as it is.
    parameters[i].register_hook([&delivered, i](const at::Tensor&) { delivered.push_back(i); });
  }
  module.Loss(module.SyntheticBatch(batch, 2)).backward();
  EXPECT_EQ(seen, network.layers.size());
  EXPECT_EQ(delivered, ReadinessOrder(network));
}

TEST_P(EveryNetwork, AgreesWithItsTableInParametersActivationsAndReadiness) {
  for (const int size : {GetParam().size, GetParam().other_size}) {
    if (size == 0) continue;
    SCOPED_TRACE(size);
    ExpectTableAndModuleAgree(BuildSmall(GetParam().spec, size), size % 2 == 0 ? 2 : 3);
  }
}

TEST_P(EveryNetwork, LowersItsLossOnAFixedBatch) {
  const Network network = BuildSmall(GetParam().spec, GetParam().size);
  const auto module = MakeNetworkModule(network, 1);
  const SampleBatch batch = module->SyntheticBatch(GetParam().size > 200 ? 2 : 4, 2);
  // Dropout makes single losses jump, so they are compared without it. Batch norms need the batch's own
  // statistics: the running ones lag behind.
  const bool compare_evaluated = module->Buffers().empty();
  const auto evaluate = [&] {
    const at::NoGradGuard no_grad;
    module->SetTraining(!compare_evaluated);
    const auto loss = module->Loss(batch).item<double>();
    module->SetTraining(true);
    return loss;
  };
  const double first = evaluate();
  for (int step = 0; step < StepsThatLowerTheLoss(GetParam(), network); ++step) {
    module->Loss(batch).backward();
    const at::NoGradGuard no_grad;
    for (const at::Tensor& parameter : module->Parameters()) {
      parameter.sub_(parameter.grad(), GetParam().rate);
      // Dropped, not zeroed: the networks of a gigabyte would spend their time on that.
      parameter.mutable_grad().reset();
    }
  }
  const double last = evaluate();
  EXPECT_LT(last, first);
  RecordProperty("first_loss", std::to_string(first));
  RecordProperty("last_loss", std::to_string(last));
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, testing::ValuesIn(ZooCases()), ZooCaseName);

TEST(NetworkModule, EveryNameOfTheZooIsAmongTheCases) {
  const std::vector<ZooCase> cases = ZooCases();
  for (const std::string& name : NetworkNames()) {
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const ZooCase& c) {
      return c.spec.substr(0, c.spec.find(':')) == name;
    })) << name;
  }
}

TEST(NetworkModule, TheSameSeedGivesTheSameWeightsAndBatches) {
  const Network network = BuildSmall("resnet10", 32);
  const auto one = MakeNetworkModule(network, 5);
  const auto two = MakeNetworkModule(network, 5);
  const auto other = MakeNetworkModule(network, 6);
  EXPECT_TRUE(at::equal(one->Parameters()[0], two->Parameters()[0]));
  EXPECT_FALSE(at::equal(one->Parameters()[0], other->Parameters()[0]));
  EXPECT_TRUE(at::equal(one->SyntheticBatch(2, 3).inputs, two->SyntheticBatch(2, 3).inputs));
  EXPECT_FALSE(at::equal(one->SyntheticBatch(2, 3).inputs, one->SyntheticBatch(2, 4).inputs));
}

TEST(NetworkModule, BuffersFollowTheTableAndCountTheBatches) {
  const Network network = BuildSmall("resnet10", 32);
  const auto module = MakeNetworkModule(network, 5);
  const std::vector<NamedTensor> table = BufferTensors(network);
  ASSERT_EQ(module->Buffers().size(), table.size());
  module->Loss(module->SyntheticBatch(2, 1));
  module->SetTraining(false);
  module->Loss(module->SyntheticBatch(2, 1));
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(module->Buffers()[i].sizes(), table[i].shape);
    if (!table[i].shape.empty()) continue;
    EXPECT_EQ(module->Buffers()[i].item<int>(), 1) << table[i].name;
  }
}

TEST(NetworkModule, ABatchNormOverOneValueIsRefused) {
  const auto module = MakeNetworkModule(BuildSmall("resnet18", 32), 1);
  EXPECT_THROW(module->Loss(module->SyntheticBatch(1, 1)), UsageError);
}

}  // namespace
}  // namespace stallscope
