#include "stallscope/law/sweep_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Small images and few classes, so that the layers between hold most of the parameters.
constexpr int kDesignedImage = 16;
constexpr int kDesignedClasses = 10;
constexpr double kMebibyte = 1 << 20;

SweepNetwork Mlp(const char* family, int layers, int width, int batch) {
  return {.spec = fmt::format("mlp:layers={},width={}", layers, width),
          .family = family,
          .batch = batch,
          .image_size = kDesignedImage,
          .sequence_length = std::nullopt,
          .classes = kDesignedClasses};
}

/// The width whose gradients come closest to `bytes`: they grow with it.
SweepNetwork MlpOf(const char* family, int layers, double bytes, int batch) {
  const auto bytes_at = [&](int width) {
    const SweepNetwork network = Mlp(family, layers, width, batch);
    return static_cast<double>(Totals(BuildNetwork(network.spec, OptionsOf(network))).gradient_bytes);
  };
  int low = 1;
  int high = 1;
  while (bytes_at(high) < bytes) high *= 2;
  while (low + 1 < high) {
    const int middle = (low + high) / 2;
    (bytes_at(middle) < bytes ? low : high) = middle;
  }
  const bool low_is_closer = bytes - bytes_at(low) < bytes_at(high) - bytes;
  return Mlp(family, layers, low_is_closer ? low : high, batch);
}

SweepNetwork OfZoo(const std::string& spec, const char* family, const SweepWorkload& workload) {
  SweepNetwork network{.spec = spec,
                       .family = family,
                       .batch = workload.batch,
                       .image_size = workload.image_size,
                       .sequence_length = std::nullopt,
                       .classes = std::nullopt};
  const std::string name = spec.substr(0, spec.find(':'));
  const Network usual = BuildNetwork(spec, {});  // throws where there is none
  if (usual.sample_kind == SampleKind::kTokens) {
    network.image_size = std::nullopt;
    network.sequence_length = workload.sequence_length;
  }
  const Network built = BuildNetwork(spec, OptionsOf(network));
  if (network.batch < SmallestBatch(built)) {
    throw UsageError(fmt::format("--batch {} is too small for {}: batch norm needs more than one value",
                                 network.batch, spec),
                     fmt::format("give --batch {} or more", SmallestBatch(built)));
  }
  return network;
}

}  // namespace

std::vector<std::string> SweepFamilies() {
  return {"layers", "bytes", "resnet", "vgg"};
}

std::vector<std::string> SplitNetworks(const std::string& list) {
  std::vector<std::string> networks;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const bool continues = part.find('=') != std::string::npos && part.find(':') == std::string::npos;
    if (continues && !networks.empty()) {
      networks.back() += "," + part;
    } else {
      networks.push_back(part);
    }
  }
  return networks;
}

std::vector<SweepNetwork> DesignedNetworks(const std::string& name, const SweepWorkload& workload) {
  std::vector<SweepNetwork> networks;
  if (name == "layers") {
    for (const int layers : {2, 8, 32, 128})
      networks.push_back(MlpOf("layers", layers, 8 * kMebibyte, workload.batch));
  } else if (name == "bytes") {
    for (const double mebibytes : {1, 4, 16, 64})
      networks.push_back(MlpOf("bytes", 8, mebibytes * kMebibyte, workload.batch));
  } else if (name == "resnet") {
    for (const char* spec : {"resnet10", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"})
      networks.push_back(OfZoo(spec, "resnet", workload));
    for (const char* spec : {"resnet18", "resnet50"}) {
      for (const char* without : {"norm=none", "residual=none", "norm=none,residual=none"})
        networks.push_back(OfZoo(fmt::format("{}:{}", spec, without), "resnet", workload));
    }
  } else if (name == "vgg") {
    for (const char* spec : {"vgg11", "vgg13", "vgg16", "vgg19"})
      networks.push_back(OfZoo(spec, "vgg", workload));
  } else {
    networks.push_back(OfZoo(name, "other", workload));
  }
  return networks;
}

std::vector<SweepNetwork> DesignedNetworks(const std::vector<std::string>& names,
                                           const SweepWorkload& workload) {
  std::vector<SweepNetwork> networks;
  for (const std::string& name : names) {
    for (const SweepNetwork& network : DesignedNetworks(name, workload)) {
      const bool known = std::any_of(networks.begin(), networks.end(),
                                     [&](const SweepNetwork& other) { return other.spec == network.spec; });
      if (!known) networks.push_back(network);
    }
  }
  if (networks.empty()) throw UsageError("--networks names none", "see stallscope law sweep --help");
  return networks;
}

}  // namespace stallscope
