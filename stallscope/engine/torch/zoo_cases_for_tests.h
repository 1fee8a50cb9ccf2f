#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "stallscope/network/network.h"

namespace stallscope {

/// A network at a size that one core trains in seconds.
struct ZooCase {
  std::string spec;
  int size = 32;             ///< pixels or tokens
  double rate = 0.01;        ///< of plain SGD
  int other_size = 0;        ///< for the comparison with the table, where weights are not gigabytes
  bool on_two_ranks = true;  ///< not for deep variants, whose base stands for them
};

inline void PrintTo(const ZooCase& c, std::ostream* out) {
  *out << c.spec;
}

inline std::vector<ZooCase> ZooCases() {
  return {
      {"alexnet", 63, 0.01, 80},
      {"vgg11", 32, 0.002},
      {"vgg13", 32, 0.002},
      {"vgg16", 32, 0.002},
      {"vgg19", 32, 0.002},
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
      {"resnet34:norm=none", 32, 0.005, 50, false},
      {"resnet34:residual=none", 32, 0.01, 50, false},
      {"resnet50", 32, 0.005, 65},
      {"resnet50:norm=none", 32, 0.001, 50, false},
      {"resnet50:residual=none", 32, 0.005, 50, false},
      {"resnet101", 32, 0.005, 50},
      {"resnet152", 32, 0.005, 50},
      {"resnet152:norm=none", 32, 0.001, 50, false},
      {"resnet152:residual=none", 32, 0.001, 50, false},
      {"resnet152:norm=none,residual=none", 32, 0.01, 50, false},
      {"mobilenet_v2", 64, 0.01, 33},
      {"shufflenet_v2_x0_5", 32, 0.01, 65},
      {"shufflenet_v2_x1_0", 32, 0.01, 50},
      {"vit_b_16", 32, 0.005, 48},
      {"bert_base", 8, 0.001, 5},
      {"bert_large", 4, 0.001},
      {"gpt2", 8, 0.01, 5},
      {"gpt2_medium", 4, 0.01},
      {"llama:layers=2,width=64,heads=4", 8, 0.01, 5},
      {"llama:layers=3,width=128,heads=2", 16, 0.01, 2},
      {"mlp:layers=3,width=32", 16, 0.01, 8},
      {"mlp:layers=64,width=64", 16, 0.001, 8},
  };
}

/// Of plain SGD on a fixed batch. Each one of a gigabyte of weights takes seconds; deep networks without
/// residuals first go up.
inline int StepsThatLowerTheLoss(const ZooCase& c, const Network& network) {
  constexpr std::int64_t kLarge = 100'000'000;
  if (c.spec.find("residual=none") != std::string::npos) return 20;
  return Totals(network).parameters > kLarge ? 4 : 8;
}

inline NetworkOptions SmallOptions(const std::string& spec, int size) {
  NetworkOptions options;
  const bool tokens = spec.starts_with("bert") || spec.starts_with("gpt") || spec.starts_with("llama");
  (tokens ? options.sequence_length : options.image_size) = size;
  if (!tokens) options.classes = 10;
  return options;
}

inline Network BuildSmall(const std::string& spec, int size) {
  return BuildNetwork(spec, SmallOptions(spec, size));
}

inline std::string ZooCaseName(const testing::TestParamInfo<ZooCase>& test) {
  std::string name = test.param.spec;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

inline std::vector<ZooCase> TwoRankCases() {
  std::vector<ZooCase> cases = ZooCases();
  std::erase_if(cases, [](const ZooCase& c) { return !c.on_two_ranks; });
  return cases;
}

}  // namespace stallscope
