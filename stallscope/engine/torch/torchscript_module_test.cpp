#include "stallscope/engine/torch/torchscript_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/script.h>
#include <torch/torch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Scripted networks are written here and removed with the test.
class Torchscript : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  /// A network of one convolution, a mean over the pixels and one linear layer to five classes.
  std::string SaveSmallNetwork(bool with_unused = false) {
    torch::jit::Module module("small");
    module.register_parameter("filter", at::randn({4, 3, 3, 3}).requires_grad_(), false);
    module.register_parameter("weight", at::randn({5, 4}).requires_grad_(), false);
    module.register_parameter("bias", at::zeros({5}).requires_grad_(), false);
    if (with_unused) module.register_parameter("idle", at::zeros({5}).requires_grad_(), false);
    module.define(R"(
      def forward(self, x):
          y = torch.relu(torch.conv2d(x, self.filter))
          return torch.linear(y.mean([2, 3]), self.weight, self.bias)
    )");
    module.save(file_);
    return file_;
  }

  std::string SaveWithoutParameters() {
    torch::jit::Module module("empty");
    module.define("def forward(self, x):\n    return x.flatten(1)\n");
    module.save(file_);
    return file_;
  }

  std::string SaveTuple() {
    torch::jit::Module module("pair");
    module.register_parameter("weight", at::randn({5, 192}).requires_grad_(), false);
    module.define(
        "def forward(self, x):\n    y = torch.linear(x.flatten(1), self.weight)\n    return "
        "(y, y)\n");
    module.save(file_);
    return file_;
  }

  std::string file_ = testing::TempDir() + "stallscope_scripted_" + std::to_string(getpid()) + ".pt";
};

TorchscriptRequest Request(const std::string& file, int classes = 5,
                           std::vector<std::int64_t> shape = {3, 8, 8}) {
  TorchscriptRequest request;
  request.file = file;
  request.sample_shape = std::move(shape);
  request.classes = classes;
  return request;
}

std::string Refusal(const TorchscriptRequest& request) {
  try {
    MakeTorchscriptModule(request);
  } catch (const UsageError& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return {};
}

TEST_F(Torchscript, TheTableIsWhatOneStepShowed) {
  const TorchscriptNetwork network = MakeTorchscriptModule(Request(SaveSmallNetwork()));
  const NetworkTotals totals = Totals(network.table);
  EXPECT_EQ(totals.parameters, 4 * 27 + 20 + 5);
  EXPECT_EQ(totals.gradient_tensors, 3);
  EXPECT_EQ(totals.layers, 2);
  // 4 x 6 x 6 outputs of 27 multiply-adds, and 4 x 5 in the linear layer.
  EXPECT_EQ(totals.forward_macs, 4 * 36 * 27 + 20);
  // Backwards: the linear layer hands back its bias before its weight.
  EXPECT_THAT(ReadinessOrder(network.table), testing::ElementsAre(2, 1, 0));
  EXPECT_EQ(GradientTensors(network.table)[1].name, "weight");
  for (const at::Tensor& parameter : network.module->Parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST_F(Torchscript, AScriptedNetworkTrains) {
  const TorchscriptNetwork network = MakeTorchscriptModule(Request(SaveSmallNetwork()));
  const SampleBatch batch = network.module->SyntheticBatch(4, 1);
  torch::optim::SGD sgd(network.module->Parameters(), torch::optim::SGDOptions(0.05));
  double first = 0;
  double last = 0;
  for (int step = 0; step < 20; ++step) {
    const at::Tensor loss = network.module->Loss(batch);
    loss.backward();
    sgd.step();
    sgd.zero_grad();
    last = loss.item<double>();
    if (step == 0) first = last;
  }
  EXPECT_LT(last, first);
}

TEST_F(Torchscript, AFileThatIsNotThereOrNoScriptIsRefused) {
  EXPECT_THAT(Refusal(Request("/nowhere/net.pt")), testing::HasSubstr("cannot read"));
  std::ofstream(file_) << "these are no weights";
  EXPECT_THAT(Refusal(Request(file_)), testing::HasSubstr("is no TorchScript file | save the network with"));
}

TEST_F(Torchscript, ANetworkWithoutParametersIsRefused) {
  EXPECT_THAT(Refusal(Request(SaveWithoutParameters())), testing::HasSubstr("no parameters to train"));
}

TEST_F(Torchscript, AnOutputThatDoesNotFitTheClassesNamesTheOnesThatWould) {
  EXPECT_THAT(Refusal(Request(SaveSmallNetwork(), 7)), testing::HasSubstr("give --classes 5"));
  EXPECT_THAT(Refusal(Request(SaveTuple())), testing::HasSubstr("not one tensor"));
}

TEST_F(Torchscript, AWrongInputShapeIsRefusedInOneSentence) {
  const std::string refusal = Refusal(Request(SaveSmallNetwork(), 5, {1, 8, 8}));
  EXPECT_THAT(refusal, testing::HasSubstr("does not take samples of 1x8x8"));
  EXPECT_THAT(refusal, testing::HasSubstr("--input-shape"));
  EXPECT_EQ(std::count(refusal.begin(), refusal.end(), '\n'), 0) << refusal;
}

TEST_F(Torchscript, AParameterWithoutGradientIsNamed) {
  EXPECT_THAT(Refusal(Request(SaveSmallNetwork(true))), testing::HasSubstr("'idle'"));
}

}  // namespace
}  // namespace stallscope
