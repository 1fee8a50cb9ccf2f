// Networks for phones: MobileNetV2 (Sandler et al. 2018, table 2) and ShuffleNetV2 (Ma et al. 2018, table 5).
#include <fmt/format.h>

#include "stallscope/network/families.h"

namespace stallscope {
namespace {

using Node = NetworkBuilder::Node;

constexpr double kMobileDropout = 0.2;

/// Expand by a 1x1, filter each channel by itself, project back by a 1x1 without activation.
Node InvertedResidual(NetworkBuilder& net, const std::string& prefix, Node x, int expansion, int out,
                      int stride) {
  const int in = static_cast<int>(net.Shape(x)[0]);
  const int hidden = in * expansion;
  int part = 0;
  Node branch = x;
  const auto unit = [&](const ConvOptions& options) {
    const std::string name = fmt::format("{}.conv.{}", prefix, part++);
    branch = net.Relu(net.BatchNorm(name + ".1", net.Conv(name + ".0", branch, options)), LayerKind::kRelu6);
  };
  if (expansion != 1) unit({.out = hidden});
  unit({.out = hidden, .kernel = 3, .stride = stride, .padding = 1, .groups = hidden});
  branch = net.Conv(fmt::format("{}.conv.{}", prefix, part), branch, {.out = out});
  branch = net.BatchNorm(fmt::format("{}.conv.{}", prefix, part + 1), branch);
  return stride == 1 && in == out ? net.AddInto(branch, x) : branch;
}

/// Appends convolutions with norms at numbered places of a sequence.
struct Sequence {
  NetworkBuilder& net;
  std::string prefix;
  Node x;

  void Unit(int place, const ConvOptions& options, bool relu) {
    x = net.Conv(fmt::format("{}.{}", prefix, place), x, options);
    x = net.BatchNorm(fmt::format("{}.{}", prefix, place + 1), x);
    if (relu) x = net.Relu(x);
  }
};

ConvOptions Depthwise(int channels, int stride) {
  return {.out = channels, .kernel = 3, .stride = stride, .padding = 1, .groups = channels};
}

Node ShuffleUnit(NetworkBuilder& net, const std::string& prefix, Node x, int out, int stride) {
  const int in = static_cast<int>(net.Shape(x)[0]);
  const int half = out / 2;
  Node left = 0;
  Node right = x;
  if (stride == 1) {
    left = net.Slice(x, 0, half);
    right = net.Slice(x, half, half);
  } else {
    Sequence branch{net, prefix + ".branch1", x};
    branch.Unit(0, Depthwise(in, stride), false);
    branch.Unit(2, {.out = half}, true);
    left = branch.x;
  }
  Sequence branch{net, prefix + ".branch2", right};
  branch.Unit(0, {.out = half}, true);
  branch.Unit(3, Depthwise(half, stride), false);
  branch.Unit(5, {.out = half}, true);
  return net.ChannelShuffle(net.Concat({left, branch.x}), 2);
}

}  // namespace

Network BuildMobilenetV2(const BuildRequest& request) {
  struct Stage {
    int expansion, out, repeats, stride;
  };
  static const std::vector<Stage> stages = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  NetworkBuilder net(request.spec.text, request.classes);
  Node x = net.Images(request.image_size);
  x = net.Conv("features.0.0", x, {.out = 32, .kernel = 3, .stride = 2, .padding = 1});
  x = net.Relu(net.BatchNorm("features.0.1", x), LayerKind::kRelu6);
  int position = 1;
  for (const Stage& stage : stages) {
    for (int i = 0; i < stage.repeats; ++i) {
      x = InvertedResidual(net, fmt::format("features.{}", position++), x, stage.expansion, stage.out,
                           i == 0 ? stage.stride : 1);
    }
  }
  x = net.Conv("features.18.0", x, {.out = 1280});
  x = net.Relu(net.BatchNorm("features.18.1", x), LayerKind::kRelu6);
  x = net.Dropout(net.Flatten(net.AdaptiveAveragePool(x, 1)), kMobileDropout);
  return net.Finish(net.Linear("classifier.1", x, {.out = request.classes, .weight_std = kClassifierStd}));
}

Network BuildShufflenetV2(const BuildRequest& request) {
  const int first_width = request.spec.name == "shufflenet_v2_x0_5" ? 48 : 116;
  static const std::vector<int> repeats = {4, 8, 4};
  NetworkBuilder net(request.spec.text, request.classes);
  Sequence stem{net, "conv1", net.Images(request.image_size)};
  stem.Unit(0, {.out = 24, .kernel = 3, .stride = 2, .padding = 1}, true);
  Node x = net.MaxPool(stem.x, {.kernel = 3, .stride = 2, .padding = 1});
  for (int stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < repeats[stage]; ++i) {
      x = ShuffleUnit(net, fmt::format("stage{}.{}", stage + 2, i), x, first_width << stage, i == 0 ? 2 : 1);
    }
  }
  Sequence head{net, "conv5", x};
  head.Unit(0, {.out = 1024}, true);
  x = net.Flatten(net.AdaptiveAveragePool(head.x, 1));
  return net.Finish(net.Linear("fc", x, {.out = request.classes, .weight_std = kClassifierStd}));
}

}  // namespace stallscope
