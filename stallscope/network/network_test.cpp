#include "stallscope/network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

NetworkOptions ImageSize(int pixels) {
  NetworkOptions options;
  options.image_size = pixels;
  return options;
}

/// "what | hint" of the refusal, or nothing.
std::string Refusal(const std::string& spec, const NetworkOptions& options = {}) {
  try {
    BuildNetwork(spec, options);
  } catch (const UsageError& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return {};
}

struct PublishedCount {
  const char* name;
  std::int64_t parameters;
  std::int64_t tensors;
};

TEST(Zoo, ParametersAndGradientTensorsAreThePublishedOnes) {
  const PublishedCount published[] = {
      {"alexnet", 61'100'840, 16},
      {"vgg11", 132'863'336, 22},
      {"vgg13", 133'047'848, 26},
      {"vgg16", 138'357'544, 32},
      {"vgg19", 143'667'240, 38},
      {"squeezenet1_0", 1'248'424, 52},
      {"resnet18", 11'689'512, 62},
      {"resnet34", 21'797'672, 110},
      {"resnet50", 25'557'032, 161},
      {"resnet101", 44'549'160, 314},
      {"resnet152", 60'192'808, 467},
      {"inception_v3", 27'161'264, 292},
      {"mobilenet_v2", 3'504'872, 158},
      {"shufflenet_v2_x0_5", 1'366'792, 170},
      {"shufflenet_v2_x1_0", 2'278'604, 170},
      {"vit_b_16", 86'567'656, 152},
      {"bert_base", 109'482'240, 199},
      {"bert_large", 335'141'888, 391},
      {"gpt2", 124'439'808, 148},
      {"gpt2_medium", 354'823'168, 292},
  };
  for (const PublishedCount& row : published) {
    const NetworkTotals totals = Totals(BuildNetwork(row.name, {}));
    EXPECT_EQ(totals.parameters, row.parameters) << row.name;
    EXPECT_EQ(totals.gradient_tensors, row.tensors) << row.name;
    EXPECT_EQ(totals.gradient_bytes, 4 * row.parameters) << row.name;
  }
}

TEST(Zoo, ForwardMacsAreWithinOnePercentOfThePublishedOnes) {
  // Giga-MACs per sample at the default size: torchvision's tables, which count with fvcore, and for
  // ResNet-50, VGG-16 and MobileNetV2 the papers. BERT: 12 x (4 x 768^2 + 2 x 768 x 3072) x 128 in linear
  // layers, 12 x 2 x 128^2 x 768 in attention.
  const std::pair<const char*, double> published[] = {
      {"alexnet", 0.714},
      {"vgg11", 7.609},
      {"vgg13", 11.308},
      {"vgg16", 15.47},
      {"vgg19", 19.632},
      {"squeezenet1_0", 0.819},
      {"resnet18", 1.814},
      {"resnet34", 3.664},
      {"resnet50", 4.089},
      {"resnet101", 7.801},
      {"resnet152", 11.514},
      {"inception_v3", 5.713},
      {"mobilenet_v2", 0.301},
      {"shufflenet_v2_x0_5", 0.040},
      {"shufflenet_v2_x1_0", 0.145},
      {"vit_b_16", 17.564},
      {"bert_base", 11.174},
  };
  for (const auto& [name, giga] : published) {
    const auto macs = static_cast<double>(Totals(BuildNetwork(name, {})).forward_macs);
    // Two published digits allow no closer look than half of their last one.
    EXPECT_NEAR(macs / 1e9, giga, std::max(0.01 * giga, 0.0005)) << name;
  }
}

TEST(Zoo, LayersAreConvolutionsLinearLayersAndEmbeddings) {
  EXPECT_EQ(Totals(BuildNetwork("alexnet", {})).layers, 8);
  EXPECT_EQ(Totals(BuildNetwork("vgg16", {})).layers, 16);
  // 18 on the main path, and three projections of shortcuts.
  EXPECT_EQ(Totals(BuildNetwork("resnet18", {})).layers, 21);
  EXPECT_EQ(Totals(BuildNetwork("mlp:layers=64,width=512", {})).layers, 64);
  // Three embeddings, 12 blocks of six linear layers, the pooler.
  EXPECT_EQ(Totals(BuildNetwork("bert_base", {})).layers, 3 + 12 * 6 + 1);
}

TEST(Zoo, EveryNameBuildsAndItsReadinessOrderIsAPermutation) {
  for (const std::string& name : NetworkNames()) {
    const Network network = BuildNetwork(name, {});
    std::vector<std::size_t> order = ReadinessOrder(network);
    const std::size_t tensors = GradientTensors(network).size();
    ASSERT_EQ(order.size(), tensors) << name;
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < tensors; ++i) EXPECT_EQ(order[i], i) << name;
  }
}

TEST(Zoo, TensorNamesAreUnique) {
  for (const std::string& name : NetworkNames()) {
    std::set<std::string> seen;
    const Network network = BuildNetwork(name, {});
    for (const NamedTensor& tensor : GradientTensors(network)) EXPECT_TRUE(seen.insert(tensor.name).second);
    for (const NamedTensor& tensor : BufferTensors(network)) EXPECT_TRUE(seen.insert(tensor.name).second);
  }
}

TEST(Zoo, InputsComeBeforeTheLayersThatReadThem) {
  for (const std::string& name : NetworkNames()) {
    const Network network = BuildNetwork(name, {});
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      for (const std::size_t input : network.layers[i].inputs) EXPECT_LT(input, i) << name;
    }
  }
}

TEST(Zoo, ImageSizeChangesWorkButNotTheParametersOfAConvolutionalNetwork) {
  for (const char* name : {"resnet18", "vgg11", "mobilenet_v2", "squeezenet1_0", "shufflenet_v2_x1_0"}) {
    const NetworkTotals base = Totals(BuildNetwork(name, ImageSize(224)));
    std::int64_t macs = 0;
    for (int pixels = 64; pixels <= 320; pixels += 16) {
      const NetworkTotals totals = Totals(BuildNetwork(name, ImageSize(pixels)));
      EXPECT_EQ(totals.parameters, base.parameters) << name << ' ' << pixels;
      EXPECT_GT(totals.forward_macs, macs) << name << ' ' << pixels;
      macs = totals.forward_macs;
    }
  }
}

TEST(Zoo, ClassesSizeTheLastLayerOnly) {
  NetworkOptions options;
  options.classes = 10;
  // resnet18's classifier is 512 x classes + classes.
  EXPECT_EQ(Totals(BuildNetwork("resnet18", options)).parameters, 11'689'512 - 990 * 513);
}

TEST(Families, AnMlpHasTheParametersOfItsArithmetic) {
  for (int layers = 2; layers <= 40; layers += 7) {
    for (const int width : {1, 16, 512}) {
      const std::string spec = "mlp:layers=" + std::to_string(layers) + ",width=" + std::to_string(width);
      const NetworkTotals totals = Totals(BuildNetwork(spec, {}));
      const std::int64_t w = width;
      EXPECT_EQ(totals.parameters, (3 * 32 * 32 + 1) * w + (layers - 2) * (w + 1) * w + (w + 1) * 1000)
          << spec;
      EXPECT_EQ(totals.gradient_tensors, 2 * layers) << spec;
      EXPECT_EQ(totals.layers, layers) << spec;
    }
  }
}

TEST(Families, ALlamaOfThePublishedSizeHasThePublishedParameters) {
  EXPECT_EQ(Totals(BuildNetwork("llama:layers=32,width=4096,heads=32", {})).parameters, 6'738'415'616);
}

TEST(Families, AResnetWithoutNormsOrResidualsKeepsItsOtherLayers) {
  const NetworkTotals whole = Totals(BuildNetwork("resnet18", {}));
  const NetworkTotals bare = Totals(BuildNetwork("resnet18:norm=none", {}));
  // 20 norms with two tensors each.
  EXPECT_EQ(bare.gradient_tensors, whole.gradient_tensors - 40);
  EXPECT_EQ(bare.layers, whole.layers);
  EXPECT_EQ(bare.forward_macs, whole.forward_macs);
  // Three projections of shortcuts, each a convolution and a norm.
  const NetworkTotals straight = Totals(BuildNetwork("resnet18:residual=none", {}));
  EXPECT_EQ(straight.gradient_tensors, whole.gradient_tensors - 9);
  EXPECT_EQ(straight.layers, 18);
  EXPECT_EQ(Totals(BuildNetwork("resnet152:norm=none,residual=none", {})).layers, 152);
}

TEST(Families, ShallowResnetsHaveTheDepthOfTheirName) {
  for (const int depth : {10, 12, 16, 18, 34, 50, 101, 152}) {
    const std::string spec = "resnet" + std::to_string(depth) + ":residual=none";
    EXPECT_EQ(Totals(BuildNetwork(spec, {})).layers, depth);
  }
}

TEST(Refusals, AMistypedModelIsOfferedItsNeighbours) {
  EXPECT_THAT(Refusal("resnt18"), testing::HasSubstr("resnet18"));
  EXPECT_THAT(Refusal("qqqqqqqqqqqqq"), testing::HasSubstr("--list-models"));
  EXPECT_THAT(Refusal(""), testing::HasSubstr("--list-models"));
}

TEST(Refusals, AParameterThatTheFamilyLacksIsNamed) {
  EXPECT_THAT(Refusal("mlp:depth=3"), testing::HasSubstr("'depth' | it takes layers or width"));
  EXPECT_THAT(Refusal("vgg16:width=3"), testing::HasSubstr("without parameters"));
  EXPECT_THAT(Refusal("mlp:layers"), testing::HasSubstr("is no parameter"));
  EXPECT_THAT(Refusal("mlp:"), testing::HasSubstr("no parameters"));
  EXPECT_THAT(Refusal("mlp:layers=2,layers=3"), testing::HasSubstr("twice"));
  EXPECT_THAT(Refusal("mlp:layers=0"), testing::HasSubstr("layers=0"));
  EXPECT_THAT(Refusal("mlp:layers=2x"), testing::HasSubstr("whole number"));
  EXPECT_THAT(Refusal("mlp:layers=99999999999999"), testing::HasSubstr("whole number"));
  EXPECT_THAT(Refusal("resnet18:norm=group"), testing::HasSubstr("batch or none"));
  EXPECT_THAT(Refusal("llama:width=100,heads=8"), testing::HasSubstr("multiple of 16"));
}

TEST(Refusals, TheSmallestImageIsNamedAndFits) {
  for (const char* name : {"alexnet", "vgg16", "squeezenet1_0", "inception_v3", "resnet50", "mobilenet_v2"}) {
    const std::string refusal = Refusal(name, ImageSize(1));
    const std::string mark = "--image-size ";
    ASSERT_THAT(refusal, testing::HasSubstr(mark)) << name;
    const int smallest = std::stoi(refusal.substr(refusal.find(mark) + mark.size()));
    EXPECT_EQ(Refusal(name, ImageSize(smallest)), "") << name;
    EXPECT_NE(Refusal(name, ImageSize(smallest - 1)), "") << name;
  }
  EXPECT_THAT(Refusal("vgg16", ImageSize(31)), testing::HasSubstr("32 or more"));
  EXPECT_THAT(Refusal("vit_b_16", ImageSize(100)), testing::HasSubstr("96 or 112"));
  EXPECT_THAT(Refusal("resnet18", ImageSize(-5)), testing::HasSubstr("--image-size"));
}

TEST(Refusals, OptionsOfAnotherSampleKindAreNotIgnored) {
  NetworkOptions tokens;
  tokens.sequence_length = 64;
  EXPECT_THAT(Refusal("resnet18", tokens), testing::HasSubstr("leave --sequence-length out"));
  EXPECT_THAT(Refusal("gpt2", ImageSize(64)), testing::HasSubstr("leave --image-size out"));
  tokens.sequence_length = 513;
  EXPECT_THAT(Refusal("bert_base", tokens), testing::HasSubstr("to 512"));
  NetworkOptions classes;
  classes.classes = 10;
  EXPECT_THAT(Refusal("gpt2", classes), testing::HasSubstr("leave --classes out"));
}

TEST(TrainingMemory, GrowsByTheActivationsOfEachSampleAndByEachOptimizerSlot) {
  const Network network = BuildNetwork("mlp:layers=2,width=10", {});
  const double parameters = 3073.0 * 10 + 11 * 1000;
  // The pixels, ten hidden values (the ReLU overwrites them) and a thousand outputs.
  const double per_sample = 4.0 * (3072 + 10 + 1000);
  EXPECT_DOUBLE_EQ(TrainingMemoryBytes(network, 1, 0, false), 8 * parameters + per_sample);
  EXPECT_DOUBLE_EQ(TrainingMemoryBytes(network, 9, 2, false), 16 * parameters + 9 * per_sample);
  EXPECT_DOUBLE_EQ(TrainingMemoryBytes(network, 9, 2, true), 18 * parameters + 9 * per_sample / 2);
}

TEST(SmallestBatch, IsTwoWhereABatchNormSeesOnePixel) {
  EXPECT_EQ(SmallestBatch(BuildNetwork("resnet18", ImageSize(32))), 2);
  EXPECT_EQ(SmallestBatch(BuildNetwork("resnet18", ImageSize(64))), 1);
  EXPECT_EQ(SmallestBatch(BuildNetwork("vgg11", ImageSize(32))), 1);
}

}  // namespace
}  // namespace stallscope
