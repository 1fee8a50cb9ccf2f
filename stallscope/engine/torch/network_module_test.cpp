#include "stallscope/engine/torch/network_module.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace stallscope {
namespace {

TEST(NetworkModule, SmokeOfTheTwoFirstNetworks) {
  for (const char* name : {"resnet18", "mlp"}) {
    const auto module =
        MakeNetworkModule(BuildNetwork(name, {.image_size = 32, .sequence_length = {}, .classes = 10}), 1);
    const SampleBatch batch = module->SyntheticBatch(4, 2);
    torch::optim::SGD sgd(module->Parameters(), torch::optim::SGDOptions(0.01));
    double first = 0;
    double last = 0;
    for (int i = 0; i < 20; ++i) {
      const at::Tensor loss = module->Loss(batch);
      loss.backward();
      sgd.step();
      sgd.zero_grad();
      last = loss.item<double>();
      if (i == 0) first = last;
    }
    EXPECT_LT(last, first) << name;
  }
}

}  // namespace
}  // namespace stallscope
