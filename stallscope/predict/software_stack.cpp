#include "stallscope/predict/software_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

namespace stallscope {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

struct FamilyName {
  const char* mark;
  const char* family;
};

/// The first mark that a text carries decides: "MXNet ... (Horovod)" is MXNet, and Horovod alone began on
/// TensorFlow.
constexpr std::array kFamilies = {
    FamilyName{"pytorch", "pytorch"},       FamilyName{"torch", "pytorch"},
    FamilyName{"mxnet", "mxnet"},           FamilyName{"paddle", "paddle"},
    FamilyName{"mindspore", "mindspore"},   FamilyName{"oneflow", "oneflow"},
    FamilyName{"caffe2", "caffe2"},         FamilyName{"jax", "jax"},
    FamilyName{"tensorflow", "tensorflow"}, FamilyName{"tf", "tensorflow"},
    FamilyName{"horovod", "tensorflow"},
};

std::string FamilyOf(const std::string& framework) {
  for (const FamilyName& name : kFamilies) {
    if (Contains(framework, name.mark)) return name.family;
  }
  return "other";
}

/// Paddle 2 brought kernels of its own for norms and activations.
bool IsOldPaddle(const std::string& framework) {
  std::smatch version;
  static const std::regex pattern("paddle[a-z]*\\s+(\\d+)");
  return std::regex_search(framework, version, pattern) && std::stoi(version[1]) < 2;
}

Fusion FusionOf(const std::string& family, const std::string& framework, const std::string& all) {
  static const std::regex denied("(without|w/o|no|-)\\s*(xla|graph kernel)");
  const bool named = Contains(all, "xla") || Contains(all, "graph kernel") || Contains(all, "torch.compile");
  if (family == "jax" || (named && !std::regex_search(all, denied))) return Fusion::kCompiled;
  if (family == "tensorflow" || family == "mindspore" || IsOldPaddle(framework)) return Fusion::kUnfused;
  return Fusion::kKernels;
}

bool ChannelsLast(const std::string& family, const std::string& all, std::string_view origin,
                  const std::optional<int>& year) {
  if (Contains(all, "nhwc") || Contains(all, "channels-last") || Contains(all, "channels last")) return true;
  if (Contains(all, "nchw")) return false;
  if (family == "pytorch") return origin.starts_with("NVIDIA/DeepLearningExamples");
  // The others reorder image networks for tensor cores by themselves, since tensor cores have been common.
  return family != "caffe2" && family != "other" && year.value_or(2020) >= 2019;
}

}  // namespace

SoftwareStack ParseStack(std::string_view framework, std::string_view remarks, std::string_view origin,
                         std::optional<int> year) {
  const std::string name = Lower(framework);
  const std::string all = name + ' ' + Lower(remarks);
  SoftwareStack stack;
  stack.family = FamilyOf(name);
  stack.fusion = FusionOf(stack.family, name, all);
  stack.channels_last = ChannelsLast(stack.family, all, origin, year);
  stack.year = year;
  return stack;
}

std::string Describe(const SoftwareStack& stack) {
  std::string text = stack.family;
  if (stack.fusion == Fusion::kCompiled) text += ", compiled";
  if (stack.channels_last) text += ", channels last";
  if (stack.year) text += fmt::format(", {}", *stack.year);
  return text;
}

std::string FusionName(Fusion fusion) {
  switch (fusion) {
    case Fusion::kUnfused:
      return "unfused";
    case Fusion::kCompiled:
      return "compiled";
    case Fusion::kKernels:
      break;
  }
  return "kernels";
}

std::optional<Fusion> ParseFusion(std::string_view name) {
  for (const Fusion fusion : {Fusion::kKernels, Fusion::kUnfused, Fusion::kCompiled}) {
    if (FusionName(fusion) == name) return fusion;
  }
  return std::nullopt;
}

}  // namespace stallscope
