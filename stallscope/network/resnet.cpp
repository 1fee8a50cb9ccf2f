// He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition (2015), table 1, with the stride of a
// bottleneck in its 3x3 convolution, as torchvision trains it.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "stallscope/network/families.h"

namespace stallscope {
namespace {

struct Depth {
  bool bottleneck;
  std::array<int, 4> blocks;
};

/// 10, 12 and 16 are for the study of depth: the 18-layer network less its last blocks.
const std::map<std::string, Depth>& Depths() {
  static const std::map<std::string, Depth> depths = {
      {"resnet10", {false, {1, 1, 1, 1}}},  {"resnet12", {false, {2, 1, 1, 1}}},
      {"resnet16", {false, {2, 2, 2, 1}}},  {"resnet18", {false, {2, 2, 2, 2}}},
      {"resnet34", {false, {3, 4, 6, 3}}},  {"resnet50", {true, {3, 4, 6, 3}}},
      {"resnet101", {true, {3, 4, 23, 3}}}, {"resnet152", {true, {3, 8, 36, 3}}},
  };
  return depths;
}

constexpr int kBottleneckExpansion = 4;

/// Without shortcuts every norm with its ReLU multiplies the gradient by about 1.2, and 150 of them overflow.
/// A ReLU that starts mostly open is nearly linear and multiplies it by much less.
constexpr double kStraightBias = 2;

class ResnetBuilder {
 public:
  explicit ResnetBuilder(const BuildRequest& request)
      : request_(request),
        depth_(Depths().at(request.spec.name)),
        norm_(Choice(request.spec, "norm", {"batch", "none"}) == "batch"),
        residual_(Choice(request.spec, "residual", {"add", "none"}) == "add"),
        net_(request.spec.text, request.classes) {}

  Network Build() {
    Node x = net_.Images(request_.image_size);
    x = net_.Relu(ConvNorm("conv1", "bn1", x, {.out = 64, .kernel = 7, .stride = 2, .padding = 3}));
    x = net_.MaxPool(x, {.kernel = 3, .stride = 2, .padding = 1});
    for (int stage = 0; stage < 4; ++stage) {
      for (int block = 0; block < depth_.blocks[stage]; ++block) {
        const int stride = stage > 0 && block == 0 ? 2 : 1;
        x = Block(fmt::format("layer{}.{}.", stage + 1, block), x, 64 << stage, stride);
      }
    }
    x = net_.Flatten(net_.AdaptiveAveragePool(x, 1));
    return net_.Finish(net_.Linear("fc", x, {.out = request_.classes, .weight_std = kClassifierStd}));
  }

 private:
  using Node = NetworkBuilder::Node;

  Node ConvNorm(const std::string& conv, const std::string& norm, Node x, const ConvOptions& options) {
    x = net_.Conv(conv, x, options);
    if (!norm_) return x;
    x = net_.BatchNorm(norm, x);
    if (!residual_) net_.network().layers[x].bias_start = kStraightBias;
    return x;
  }

  Node Block(const std::string& prefix, Node x, int width, int stride) {
    const int out = depth_.bottleneck ? width * kBottleneckExpansion : width;
    Node branch = x;
    if (depth_.bottleneck) {
      branch = net_.Relu(ConvNorm(prefix + "conv1", prefix + "bn1", branch, {.out = width}));
      branch = net_.Relu(ConvNorm(prefix + "conv2", prefix + "bn2", branch,
                                  {.out = width, .kernel = 3, .stride = stride, .padding = 1}));
      branch = ConvNorm(prefix + "conv3", prefix + "bn3", branch, {.out = out, .weight_std = LastStd(width)});
    } else {
      branch = net_.Relu(ConvNorm(prefix + "conv1", prefix + "bn1", branch,
                                  {.out = width, .kernel = 3, .stride = stride, .padding = 1}));
      branch = ConvNorm(prefix + "conv2", prefix + "bn2", branch,
                        {.out = out, .kernel = 3, .padding = 1, .weight_std = LastStd(width * 9)});
    }
    if (!residual_) return net_.Relu(branch);
    Node shortcut = x;
    if (stride > 1 || net_.Shape(x)[0] != out) {
      shortcut =
          ConvNorm(prefix + "downsample.0", prefix + "downsample.1", x, {.out = out, .stride = stride});
    }
    return net_.Relu(net_.AddInto(branch, shortcut));
  }

  /// Without norms every sum would double the variance: the branches share what one block may add.
  double LastStd(int fan_in) const {
    if (norm_ || !residual_) return 0;
    int blocks = 0;
    for (const int count : depth_.blocks) blocks += count;
    return std::sqrt(2.0 / fan_in / blocks);
  }

  const BuildRequest& request_;
  const Depth& depth_;
  bool norm_;
  bool residual_;
  NetworkBuilder net_;
};

}  // namespace

Network BuildResnet(const BuildRequest& request) {
  return ResnetBuilder(request).Build();
}

}  // namespace stallscope
