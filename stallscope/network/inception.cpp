// Szegedy et al.: Rethinking the Inception Architecture for Computer Vision (2015), with batch norm in every
// convolution and one auxiliary classifier. Module letters and branch names are torchvision's.
#include "stallscope/network/families.h"

namespace stallscope {
namespace {

using Node = NetworkBuilder::Node;

constexpr double kNormEpsilon = 1e-3;
constexpr double kDropout = 0.5;

class InceptionBuilder {
 public:
  explicit InceptionBuilder(const BuildRequest& request)
      : request_(request), net_(request.spec.text, request.classes) {}

  Network Build() {
    Node x = Unit("Conv2d_1a_3x3", net_.Images(request_.image_size), {.out = 32, .kernel = 3, .stride = 2});
    x = Unit("Conv2d_2a_3x3", x, {.out = 32, .kernel = 3});
    x = Unit("Conv2d_2b_3x3", x, {.out = 64, .kernel = 3, .padding = 1});
    x = net_.MaxPool(x, kShrink);
    x = Unit("Conv2d_3b_1x1", x, {.out = 80});
    x = Unit("Conv2d_4a_3x3", x, {.out = 192, .kernel = 3});
    x = net_.MaxPool(x, kShrink);
    x = ModuleA("Mixed_5b", x, 32);
    x = ModuleA("Mixed_5c", x, 64);
    x = ModuleA("Mixed_5d", x, 64);
    x = ModuleB("Mixed_6a", x);
    x = ModuleC("Mixed_6b", x, 128);
    x = ModuleC("Mixed_6c", x, 160);
    x = ModuleC("Mixed_6d", x, 160);
    x = ModuleC("Mixed_6e", x, 192);
    net_.network().auxiliary_output = Auxiliary("AuxLogits", x);
    x = ModuleD("Mixed_7a", x);
    x = ModuleE("Mixed_7b", x);
    x = ModuleE("Mixed_7c", x);
    x = net_.Flatten(net_.Dropout(net_.AdaptiveAveragePool(x, 1), kDropout));
    return net_.Finish(net_.Linear("fc", x, {.out = request_.classes, .weight_std = kClassifierStd}));
  }

 private:
  inline static const PoolOptions kShrink{.kernel = 3, .stride = 2};
  inline static const PoolOptions kSmooth{.kernel = 3, .stride = 1, .padding = 1};

  Node Unit(const std::string& name, Node x, const ConvOptions& options) {
    return net_.Relu(net_.BatchNorm(name + ".bn", net_.Conv(name + ".conv", x, options), kNormEpsilon));
  }

  Node PoolBranch(const std::string& prefix, Node x, int out) {
    return Unit(prefix + ".branch_pool", net_.AveragePool(x, kSmooth), {.out = out});
  }

  Node ModuleA(const std::string& prefix, Node x, int pool_channels) {
    const Node one = Unit(prefix + ".branch1x1", x, {.out = 64});
    Node five = Unit(prefix + ".branch5x5_1", x, {.out = 48});
    five = Unit(prefix + ".branch5x5_2", five, {.out = 64, .kernel = 5, .padding = 2});
    const Node twice = DoubleThree(prefix, x, 1);
    return net_.Concat({one, five, twice, PoolBranch(prefix, x, pool_channels)});
  }

  /// 1x1 to 64 channels, then two 3x3 to 96; the last one may halve the image.
  Node DoubleThree(const std::string& prefix, Node x, int stride) {
    x = Unit(prefix + ".branch3x3dbl_1", x, {.out = 64});
    x = Unit(prefix + ".branch3x3dbl_2", x, {.out = 96, .kernel = 3, .padding = 1});
    return Unit(prefix + ".branch3x3dbl_3", x,
                {.out = 96, .kernel = 3, .stride = stride, .padding = stride == 1 ? 1 : 0});
  }

  Node ModuleB(const std::string& prefix, Node x) {
    const Node three = Unit(prefix + ".branch3x3", x, {.out = 384, .kernel = 3, .stride = 2});
    const Node twice = DoubleThree(prefix, x, 2);
    return net_.Concat({three, twice, net_.MaxPool(x, kShrink)});
  }

  Node Row(const std::string& name, Node x, int out) {
    return Unit(name, x, {.out = out, .kernel = {1, 7}, .padding = {0, 3}});
  }

  Node Column(const std::string& name, Node x, int out) {
    return Unit(name, x, {.out = out, .kernel = {7, 1}, .padding = {3, 0}});
  }

  Node ModuleC(const std::string& prefix, Node x, int inner) {
    const Node one = Unit(prefix + ".branch1x1", x, {.out = 192});
    Node seven = Unit(prefix + ".branch7x7_1", x, {.out = inner});
    seven = Row(prefix + ".branch7x7_2", seven, inner);
    seven = Column(prefix + ".branch7x7_3", seven, 192);
    Node twice = Unit(prefix + ".branch7x7dbl_1", x, {.out = inner});
    twice = Column(prefix + ".branch7x7dbl_2", twice, inner);
    twice = Row(prefix + ".branch7x7dbl_3", twice, inner);
    twice = Column(prefix + ".branch7x7dbl_4", twice, inner);
    twice = Row(prefix + ".branch7x7dbl_5", twice, 192);
    return net_.Concat({one, seven, twice, PoolBranch(prefix, x, 192)});
  }

  Node ModuleD(const std::string& prefix, Node x) {
    Node three = Unit(prefix + ".branch3x3_1", x, {.out = 192});
    three = Unit(prefix + ".branch3x3_2", three, {.out = 320, .kernel = 3, .stride = 2});
    Node seven = Unit(prefix + ".branch7x7x3_1", x, {.out = 192});
    seven = Row(prefix + ".branch7x7x3_2", seven, 192);
    seven = Column(prefix + ".branch7x7x3_3", seven, 192);
    seven = Unit(prefix + ".branch7x7x3_4", seven, {.out = 192, .kernel = 3, .stride = 2});
    return net_.Concat({three, seven, net_.MaxPool(x, kShrink)});
  }

  /// A 3x3 split into a row and a column side by side.
  Node Fork(const std::string& first, const std::string& second, Node x) {
    const Node row = Unit(first, x, {.out = 384, .kernel = {1, 3}, .padding = {0, 1}});
    const Node column = Unit(second, x, {.out = 384, .kernel = {3, 1}, .padding = {1, 0}});
    return net_.Concat({row, column});
  }

  Node ModuleE(const std::string& prefix, Node x) {
    const Node one = Unit(prefix + ".branch1x1", x, {.out = 320});
    Node three = Unit(prefix + ".branch3x3_1", x, {.out = 384});
    three = Fork(prefix + ".branch3x3_2a", prefix + ".branch3x3_2b", three);
    Node twice = Unit(prefix + ".branch3x3dbl_1", x, {.out = 448});
    twice = Unit(prefix + ".branch3x3dbl_2", twice, {.out = 384, .kernel = 3, .padding = 1});
    twice = Fork(prefix + ".branch3x3dbl_3a", prefix + ".branch3x3dbl_3b", twice);
    return net_.Concat({one, three, twice, PoolBranch(prefix, x, 192)});
  }

  Node Auxiliary(const std::string& prefix, Node x) {
    x = net_.AveragePool(x, {.kernel = 5, .stride = 3});
    x = Unit(prefix + ".conv0", x, {.out = 128});
    x = Unit(prefix + ".conv1", x, {.out = 768, .kernel = 5});
    x = net_.Flatten(net_.AdaptiveAveragePool(x, 1));
    return net_.Linear(prefix + ".fc", x, {.out = request_.classes, .weight_std = kClassifierStd});
  }

  const BuildRequest& request_;
  NetworkBuilder net_;
};

}  // namespace

Network BuildInception(const BuildRequest& request) {
  return InceptionBuilder(request).Build();
}

}  // namespace stallscope
