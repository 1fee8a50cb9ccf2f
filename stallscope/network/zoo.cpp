#include <fmt/format.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"
#include "stallscope/network/families.h"

namespace stallscope {
namespace {

/// The length that BERT is pre-trained with in nine of ten steps.
constexpr int kDefaultTokens = 128;

struct ZooEntry {
  const char* name;
  Network (*build)(const BuildRequest&);
  std::vector<std::string> parameters;
  SampleKind kind = SampleKind::kImage;
  int default_size = 224;      ///< pixels, or tokens
  int default_classes = 1000;  ///< 0: the network predicts tokens
  int longest_sequence = 65'536;
};

const std::vector<ZooEntry>& Zoo() {
  static const std::vector<std::string> resnet = {"norm", "residual"};
  static const std::vector<ZooEntry> zoo = {
      {"alexnet", BuildAlexnet, {}},
      {"vgg11", BuildVgg, {}},
      {"vgg13", BuildVgg, {}},
      {"vgg16", BuildVgg, {}},
      {"vgg19", BuildVgg, {}},
      {"squeezenet1_0", BuildSqueezenet, {}},
      {"inception_v3", BuildInception, {}, SampleKind::kImage, 299},
      {"resnet10", BuildResnet, resnet},
      {"resnet12", BuildResnet, resnet},
      {"resnet16", BuildResnet, resnet},
      {"resnet18", BuildResnet, resnet},
      {"resnet34", BuildResnet, resnet},
      {"resnet50", BuildResnet, resnet},
      {"resnet101", BuildResnet, resnet},
      {"resnet152", BuildResnet, resnet},
      {"mobilenet_v2", BuildMobilenetV2, {}},
      {"shufflenet_v2_x0_5", BuildShufflenetV2, {}},
      {"shufflenet_v2_x1_0", BuildShufflenetV2, {}},
      {"vit_b_16", BuildVit, {}},
      {"bert_base", BuildBert, {}, SampleKind::kTokens, kDefaultTokens, 2, 512},
      {"bert_large", BuildBert, {}, SampleKind::kTokens, kDefaultTokens, 2, 512},
      {"gpt2", BuildGpt2, {}, SampleKind::kTokens, kDefaultTokens, 0, 1024},
      {"gpt2_medium", BuildGpt2, {}, SampleKind::kTokens, kDefaultTokens, 0, 1024},
      {"llama", BuildLlama, {"layers", "width", "heads"}, SampleKind::kTokens, kDefaultTokens, 0},
      // Small images: with 224 pixels nearly all parameters would sit in the first layer.
      {"mlp", BuildMlp, {"layers", "width"}, SampleKind::kImage, 32},
  };
  return zoo;
}

/// Images above this size and products of their layers' sizes leave what 64 bits and memory hold.
constexpr int kLargestImage = 16'384;
constexpr int kMostClasses = 10'000'000;

const ZooEntry& Find(const std::string& name) {
  const auto& zoo = Zoo();
  const auto found =
      std::find_if(zoo.begin(), zoo.end(), [&](const ZooEntry& entry) { return entry.name == name; });
  if (found != zoo.end()) return *found;
  const std::vector<std::string> near = NearestNames(name, NetworkNames());
  throw UsageError(fmt::format("there is no model '{}'", name),
                   near.empty() ? "see --list-models"
                                : fmt::format("did you mean {}? see --list-models", JoinAlternatives(near)));
}

void RequireWithin(const char* flag, int value, int smallest, int largest) {
  if (value >= smallest && value <= largest) return;
  throw UsageError(fmt::format("{} {} cannot be meant", flag, value),
                   fmt::format("give a whole number from {} to {}", smallest, largest));
}

BuildRequest Complete(const ZooEntry& entry, NetworkSpec spec, const NetworkOptions& options) {
  BuildRequest request;
  request.spec = std::move(spec);
  if (entry.kind == SampleKind::kImage) {
    if (options.sequence_length) {
      throw UsageError(fmt::format("{} reads images, not token sequences", entry.name),
                       "leave --sequence-length out");
    }
    request.image_size = options.image_size.value_or(entry.default_size);
    RequireWithin("--image-size", request.image_size, 1, kLargestImage);
  } else {
    if (options.image_size) {
      throw UsageError(fmt::format("{} reads token sequences, not images", entry.name),
                       "leave --image-size out");
    }
    request.sequence_length = options.sequence_length.value_or(entry.default_size);
    RequireWithin("--sequence-length", request.sequence_length, 2, entry.longest_sequence);
  }
  if (options.classes && entry.default_classes == 0) {
    throw UsageError(fmt::format("{} predicts the next token and has no classes", entry.name),
                     "leave --classes out");
  }
  request.classes = options.classes.value_or(entry.default_classes);
  if (entry.default_classes > 0) RequireWithin("--classes", request.classes, 2, kMostClasses);
  return request;
}

/// Sizes grow until a network fits; all of them fit within a few hundred pixels.
int SmallestImage(const ZooEntry& entry, BuildRequest request) {
  for (++request.image_size; request.image_size < kLargestImage; ++request.image_size) {
    try {
      entry.build(request);
      break;
    } catch (const ImageTooSmall&) {  // NOLINT(bugprone-empty-catch): the search goes on
    }
  }
  return request.image_size;
}

}  // namespace

std::vector<std::string> NetworkNames() {
  std::vector<std::string> names;
  for (const ZooEntry& entry : Zoo()) names.emplace_back(entry.name);
  return names;
}

Network BuildNetwork(const std::string& spec_text, const NetworkOptions& options) {
  NetworkSpec spec = ParseNetworkSpec(spec_text);
  const ZooEntry& entry = Find(spec.name);
  RequireKnownParameters(spec, entry.parameters);
  const BuildRequest request = Complete(entry, std::move(spec), options);
  try {
    return entry.build(request);
  } catch (const ImageTooSmall&) {
    throw UsageError(fmt::format("{} cannot take images of {} pixels", entry.name, request.image_size),
                     fmt::format("use --image-size {} or more", SmallestImage(entry, request)));
  }
}

}  // namespace stallscope
