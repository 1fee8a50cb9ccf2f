// Dosovitskiy et al.: An Image is Worth 16x16 Words (2020), ViT-B/16, with torchvision's names.
#include <fmt/format.h>

#include "stallscope/base/error.h"
#include "stallscope/network/families.h"

namespace stallscope {
namespace {

using Node = NetworkBuilder::Node;

constexpr int kPatch = 16;
constexpr int kBlocks = 12;
constexpr int kHeads = 12;
constexpr int kWidth = 768;
constexpr int kHidden = 3072;
constexpr double kNormEpsilon = 1e-6;
constexpr double kStd = 0.02;

/// torch's attention keeps its three input projections as one tensor, named without a dot.
Node InProjection(NetworkBuilder& net, const std::string& prefix, Node x) {
  const Node node = net.Linear(prefix, x, {.out = 3 * kWidth, .weight_std = kStd});
  Layer& layer = net.network().layers[node];
  layer.parameters[0].name = prefix + ".in_proj_weight";
  layer.parameters[1].name = prefix + ".in_proj_bias";
  return node;
}

Node EncoderBlock(NetworkBuilder& net, const std::string& prefix, Node x) {
  const std::string attention = prefix + ".self_attention";
  Node branch = InProjection(net, attention, net.LayerNorm(prefix + ".ln_1", x, kNormEpsilon));
  branch = net.Attention(attention, {branch}, {.heads = kHeads});
  branch = net.Linear(attention + ".out_proj", branch, {.out = kWidth, .weight_std = kStd});
  x = net.Add(branch, x);
  branch = net.LayerNorm(prefix + ".ln_2", x, kNormEpsilon);
  branch = net.Linear(prefix + ".mlp.0", branch, {.out = kHidden, .weight_std = kStd});
  branch = net.Activation(LayerKind::kGelu, branch);
  branch = net.Linear(prefix + ".mlp.3", branch, {.out = kWidth, .weight_std = kStd});
  return net.Add(x, branch);
}

}  // namespace

Network BuildVit(const BuildRequest& request) {
  if (request.image_size % kPatch != 0) {
    const int below = request.image_size / kPatch * kPatch;
    throw UsageError(fmt::format("{} cuts images into patches of {} pixels, which {} is no multiple of",
                                 request.spec.name, kPatch, request.image_size),
                     below == 0 ? fmt::format("use --image-size {}", kPatch)
                                : fmt::format("use --image-size {} or {}", below, below + kPatch));
  }
  NetworkBuilder net(request.spec.text, request.classes);
  const Node images = net.Images(request.image_size);
  const Node token = net.ClassToken("class_token", images, kWidth);
  Node x = net.Conv("conv_proj", images,
                    {.out = kWidth, .kernel = kPatch, .stride = kPatch, .bias = true, .weight_std = kStd});
  x = net.Concat({token, net.TokensFromMap(x)});
  x = net.AddParameter("encoder.pos_embedding", x, kStd);
  for (int i = 0; i < kBlocks; ++i) {
    x = EncoderBlock(net, fmt::format("encoder.layers.encoder_layer_{}", i), x);
  }
  x = net.SelectToken(net.LayerNorm("encoder.ln", x, kNormEpsilon));
  return net.Finish(net.Linear("heads.head", x, {.out = request.classes, .weight_std = kClassifierStd}));
}

}  // namespace stallscope
