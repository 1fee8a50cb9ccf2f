#include "stallscope/engine/torch/network_module.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// A network at a size that one core trains in seconds.
struct Case {
  std::string spec;
  int size = 32;       ///< pixels or tokens
  double rate = 0.01;  ///< of plain SGD
  int other_size = 0;  ///< for the comparison with the table, where weights are not gigabytes
  bool slow = false;   ///< trained only with STALLSCOPE_LONG_TESTS: a smaller sibling stands for it
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.spec;
}

std::vector<Case> Cases() {
  return {
      {"alexnet", 63, 0.01, 80},
      {"vgg11", 32, 0.002},
      {"vgg13", 32, 0.002, 0, true},
      {"vgg16", 32, 0.002, 0, true},
      {"vgg19", 32, 0.002, 0, true},
      {"squeezenet1_0", 33, 0.002, 64},
      {"inception_v3", 299, 0.01},
      {"resnet10", 32, 0.01, 50},
      {"resnet12", 32, 0.01, 50},
      {"resnet16", 32, 0.01, 50},
      {"resnet18", 32, 0.01, 65},
      {"resnet18:norm=none", 32, 0.005, 50},
      {"resnet18:residual=none", 32, 0.01, 50},
      {"resnet18:norm=none,residual=none", 32, 0.01, 50},
      {"resnet34", 32, 0.01, 50},
      {"resnet34:norm=none", 32, 0.005, 50, true},
      {"resnet34:residual=none", 32, 0.01, 50, true},
      {"resnet50", 32, 0.005, 65},
      {"resnet50:norm=none", 32, 0.001, 50},
      {"resnet50:residual=none", 32, 0.005, 50},
      {"resnet101", 32, 0.005, 50, true},
      {"resnet152", 32, 0.005, 50},
      {"resnet152:norm=none", 32, 0.001, 50, true},
      {"resnet152:residual=none", 32, 0.001, 50, true},
      {"resnet152:norm=none,residual=none", 32, 0.01, 50, true},
      {"mobilenet_v2", 32, 0.01, 65},
      {"shufflenet_v2_x0_5", 32, 0.01, 65},
      {"shufflenet_v2_x1_0", 32, 0.01, 50},
      {"vit_b_16", 32, 0.005, 48},
      {"bert_base", 8, 0.001, 5},
      {"bert_large", 4, 0.001, 0, true},
      {"gpt2", 8, 0.01, 5},
      {"gpt2_medium", 4, 0.01, 0, true},
      {"llama:layers=2,width=64,heads=4", 8, 0.01, 5},
      {"llama:layers=3,width=128,heads=2", 16, 0.01, 2},
      {"mlp:layers=3,width=32", 16, 0.01, 8},
      {"mlp:layers=64,width=64", 16, 0.001, 8},
  };
}

Network Build(const std::string& spec, int size) {
  NetworkOptions options;
  const bool tokens = spec.starts_with("bert") || spec.starts_with("gpt") || spec.starts_with("llama");
  (tokens ? options.sequence_length : options.image_size) = size;
  if (!tokens) options.classes = 10;
  return BuildNetwork(spec, options);
}

class EveryNetwork : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { at::manual_seed(1); }
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
    ExpectTableAndModuleAgree(Build(GetParam().spec, size), size % 2 == 0 ? 2 : 3);
  }
}

TEST_P(EveryNetwork, LowersItsLossOnAFixedBatch) {
  if (GetParam().slow && std::getenv("STALLSCOPE_LONG_TESTS") == nullptr) {
    GTEST_SKIP() << "takes long: set STALLSCOPE_LONG_TESTS=1";
  }
  const auto module = MakeNetworkModule(Build(GetParam().spec, GetParam().size), 1);
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
  for (int step = 0; step < 20; ++step) {
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

std::string TestName(const testing::TestParamInfo<Case>& test) {
  std::string name = test.param.spec;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, testing::ValuesIn(Cases()), TestName);

TEST(NetworkModule, EveryNameOfTheZooIsAmongTheCases) {
  const std::vector<Case> cases = Cases();
  for (const std::string& name : NetworkNames()) {
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const Case& c) {
      return c.spec.substr(0, c.spec.find(':')) == name;
    })) << name;
  }
}

TEST(NetworkModule, TheSameSeedGivesTheSameWeightsAndBatches) {
  const Network network = Build("resnet10", 32);
  const auto one = MakeNetworkModule(network, 5);
  const auto two = MakeNetworkModule(network, 5);
  const auto other = MakeNetworkModule(network, 6);
  EXPECT_TRUE(at::equal(one->Parameters()[0], two->Parameters()[0]));
  EXPECT_FALSE(at::equal(one->Parameters()[0], other->Parameters()[0]));
  EXPECT_TRUE(at::equal(one->SyntheticBatch(2, 3).inputs, two->SyntheticBatch(2, 3).inputs));
  EXPECT_FALSE(at::equal(one->SyntheticBatch(2, 3).inputs, one->SyntheticBatch(2, 4).inputs));
}

TEST(NetworkModule, BuffersFollowTheTableAndCountTheBatches) {
  const Network network = Build("resnet10", 32);
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
  const auto module = MakeNetworkModule(Build("resnet18", 32), 1);
  EXPECT_THROW(module->Loss(module->SyntheticBatch(1, 1)), UsageError);
}

}  // namespace
}  // namespace stallscope
