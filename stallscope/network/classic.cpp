// Networks before residuals: AlexNet in its one-tower form (Krizhevsky 2014), VGG (Simonyan and Zisserman
// 2014, configurations A, B, D, E) and SqueezeNet 1.0 (Iandola et al. 2016). Numbers in names are the
// positions in torchvision's sequences, which also count activations and pools.
#include <fmt/format.h>

#include <map>

#include "stallscope/network/families.h"

namespace stallscope {
namespace {

using Node = NetworkBuilder::Node;

constexpr double kDropout = 0.5;
constexpr int kHidden = 4096;

/// VGG's linear layers start smaller than He's rule has them: small images are repeated 49 times by the
/// pool before them, and full-size steps would then overshoot.
constexpr double kHiddenStd = 0.005;

std::string Feature(int position) {
  return fmt::format("features.{}", position);
}

/// Squeeze to few channels, then expand them by a 1x1 and a 3x3 convolution side by side.
Node Fire(NetworkBuilder& net, int position, Node x, int squeeze, int expand) {
  const std::string prefix = Feature(position);
  x = net.Relu(net.Conv(prefix + ".squeeze", x, {.out = squeeze, .bias = true}));
  const Node narrow = net.Relu(net.Conv(prefix + ".expand1x1", x, {.out = expand, .bias = true}));
  const Node wide =
      net.Relu(net.Conv(prefix + ".expand3x3", x, {.out = expand, .kernel = 3, .padding = 1, .bias = true}));
  return net.Concat({narrow, wide});
}

}  // namespace

Network BuildAlexnet(const BuildRequest& request) {
  NetworkBuilder net(request.spec.text, request.classes);
  const PoolOptions pool{.kernel = 3, .stride = 2};
  const auto conv = [&](int position, Node x, ConvOptions options) {
    options.bias = true;
    return net.Relu(net.Conv(Feature(position), x, options));
  };
  Node x = net.Images(request.image_size);
  x = net.MaxPool(conv(0, x, {.out = 64, .kernel = 11, .stride = 4, .padding = 2}), pool);
  x = net.MaxPool(conv(3, x, {.out = 192, .kernel = 5, .padding = 2}), pool);
  x = conv(6, x, {.out = 384, .kernel = 3, .padding = 1});
  x = conv(8, x, {.out = 256, .kernel = 3, .padding = 1});
  x = net.MaxPool(conv(10, x, {.out = 256, .kernel = 3, .padding = 1}), pool);
  x = net.Dropout(net.Flatten(net.AdaptiveAveragePool(x, 6)), kDropout);
  x = net.Dropout(net.Relu(net.Linear("classifier.1", x, {.out = kHidden, .weight_std = kHiddenStd})),
                  kDropout);
  x = net.Relu(net.Linear("classifier.4", x, {.out = kHidden, .weight_std = kHiddenStd}));
  return net.Finish(net.Linear("classifier.6", x, {.out = request.classes, .weight_std = kClassifierStd}));
}

Network BuildVgg(const BuildRequest& request) {
  // Convolutions before each of the five pools.
  static const std::map<std::string, std::vector<int>> depths = {
      {"vgg11", {1, 1, 2, 2, 2}},
      {"vgg13", {2, 2, 2, 2, 2}},
      {"vgg16", {2, 2, 3, 3, 3}},
      {"vgg19", {2, 2, 4, 4, 4}},
  };
  static const std::vector<int> widths = {64, 128, 256, 512, 512};
  const std::vector<int>& depth = depths.at(request.spec.name);
  NetworkBuilder net(request.spec.text, request.classes);
  Node x = net.Images(request.image_size);
  int position = 0;
  for (std::size_t stage = 0; stage < depth.size(); ++stage) {
    for (int i = 0; i < depth[stage]; ++i, position += 2) {
      x = net.Relu(
          net.Conv(Feature(position), x, {.out = widths[stage], .kernel = 3, .padding = 1, .bias = true}));
    }
    x = net.MaxPool(x, {.kernel = 2, .stride = 2});
    ++position;
  }
  x = net.Flatten(net.AdaptiveAveragePool(x, 7));
  x = net.Dropout(net.Relu(net.Linear("classifier.0", x, {.out = kHidden, .weight_std = kHiddenStd})),
                  kDropout);
  x = net.Dropout(net.Relu(net.Linear("classifier.3", x, {.out = kHidden, .weight_std = kHiddenStd})),
                  kDropout);
  return net.Finish(net.Linear("classifier.6", x, {.out = request.classes, .weight_std = kClassifierStd}));
}

Network BuildSqueezenet(const BuildRequest& request) {
  NetworkBuilder net(request.spec.text, request.classes);
  const PoolOptions pool{.kernel = 3, .stride = 2, .ceil_mode = true};
  Node x = net.Images(request.image_size);
  x = net.Relu(net.Conv(Feature(0), x, {.out = 96, .kernel = 7, .stride = 2, .bias = true}));
  x = net.MaxPool(x, pool);
  x = Fire(net, 3, x, 16, 64);
  x = Fire(net, 4, x, 16, 64);
  x = net.MaxPool(Fire(net, 5, x, 32, 128), pool);
  x = Fire(net, 7, x, 32, 128);
  x = Fire(net, 8, x, 48, 192);
  x = Fire(net, 9, x, 48, 192);
  x = net.MaxPool(Fire(net, 10, x, 64, 256), pool);
  x = net.Dropout(Fire(net, 12, x, 64, 256), kDropout);
  x = net.Conv("classifier.1", x, {.out = request.classes, .bias = true, .weight_std = kClassifierStd});
  x = net.AdaptiveAveragePool(net.Relu(x), 1);
  return net.Finish(net.Flatten(x));
}

}  // namespace stallscope
