// The zoo against torchvision's own networks: a script exports weights and results, and they must come out
// the same here.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "stallscope/engine/torch/network_module.h"

namespace stallscope {
namespace {

constexpr int kSkipped = 77;
constexpr int kClasses = 10;  ///< as the script builds them

struct Case {
  const char* name;
  int pixels;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Torchvision : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  /// The script's exit code.
  int Export() const {
    const std::filesystem::path source = std::filesystem::path(__FILE__).parent_path() / "../../..";
    const std::string command = fmt::format("/usr/bin/python3 -B '{}' {} {} '{}'",
                                            (source / "tests/engine_support/export_torchvision.py").string(),
                                            GetParam().name, GetParam().pixels, file_);
    const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  c10::impl::GenericDict Load() const {
    std::ifstream stream(file_, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    return torch::pickle_load(bytes).toGenericDict();
  }

  std::string file_ = fmt::format("{}stallscope_torchvision_{}.pt", testing::TempDir(), getpid());
};

/// Compares names and shapes, and copies the exported values over.
void Adopt(const c10::IValue& exported, const std::vector<NamedTensor>& table, std::vector<at::Tensor> own) {
  const at::NoGradGuard no_grad;
  const auto pairs = exported.toListRef();
  ASSERT_EQ(pairs.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& pair = pairs[i].toTupleRef().elements();
    ASSERT_EQ(pair[0].toStringRef(), table[i].name);
    ASSERT_EQ(pair[1].toTensor().sizes(), table[i].shape) << table[i].name;
    own[i].copy_(pair[1].toTensor());
  }
}

double RelativeDifference(const at::Tensor& own, const at::Tensor& theirs) {
  return ((own - theirs).norm() / theirs.norm()).item<double>();
}

TEST_P(Torchvision, HasTheSameTensorsAndTheSameForwardPass) {
  const int code = Export();
  if (code == kSkipped) GTEST_SKIP() << "python3-torchvision is not installed";
  ASSERT_EQ(code, 0);
  const auto exported = Load();
  NetworkOptions options;
  options.image_size = GetParam().pixels;
  options.classes = kClasses;
  Network network = BuildNetwork(GetParam().name, options);
  // The script switched dropout off, chance cannot be compared.
  for (Layer& layer : network.layers) layer.dropout = 0;
  NetworkModule module(network, 1);
  ASSERT_NO_FATAL_FAILURE(Adopt(exported.at("parameters"), GradientTensors(network), module.Parameters()));
  ASSERT_NO_FATAL_FAILURE(Adopt(exported.at("buffers"), BufferTensors(network), module.Buffers()));

  const at::NoGradGuard no_grad;
  const NetworkOutputs outputs = module.Forward(exported.at("images").toTensor());
  const auto& expected = exported.at("outputs").toTupleRef().elements();
  EXPECT_LT(RelativeDifference(outputs.main, expected[0].toTensor()), 1e-4);
  ASSERT_EQ(expected.size(), outputs.auxiliary.defined() ? 2U : 1U);
  if (outputs.auxiliary.defined()) {
    EXPECT_LT(RelativeDifference(outputs.auxiliary, expected[1].toTensor()), 1e-4);
  }
  const auto statistics = exported.at("buffers_after").toListRef();
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const at::Tensor theirs = statistics[i].toTupleRef().elements()[1].toTensor();
    EXPECT_TRUE(at::allclose(module.Buffers()[i], theirs, 1e-3, 1e-5)) << BufferTensors(network)[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Torchvision,
                         testing::Values(Case{"alexnet", 80}, Case{"vgg11", 32}, Case{"vgg13", 32},
                                         Case{"vgg16", 32}, Case{"vgg19", 32}, Case{"squeezenet1_0", 64},
                                         Case{"inception_v3", 299}, Case{"resnet18", 64},
                                         Case{"resnet34", 64}, Case{"resnet50", 64}, Case{"resnet101", 64},
                                         Case{"resnet152", 64}, Case{"mobilenet_v2", 64},
                                         Case{"shufflenet_v2_x0_5", 64}, Case{"shufflenet_v2_x1_0", 64},
                                         Case{"vit_b_16", 48}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace stallscope
