#include "stallscope/predict/stack.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace stallscope {
namespace {

struct NamedStack {
  std::string_view pattern;  ///< in lower case, somewhere in the text; the first that fits is taken
  Stack stack;
};

constexpr std::array kStacks = {
    NamedStack{"paddlepaddle 1",
               {.name = "paddle-1",
                .why = "Paddle 1.x reduces every tensor on its own, after the backward pass",
                .overlaps = false,
                .packs = true,
                .fuses = false}},
    NamedStack{"paddle", {.name = "paddle", .why = "Paddle 2 fuses and overlaps as PyTorch's DDP does"}},
    NamedStack{"mindspore",
               {.name = "mindspore",
                .why = "without a split strategy its all-reduces are fused at the end of the backward pass",
                .overlaps = false,
                .packs = true,
                .amp_bytes_text = 2}},
    NamedStack{"tensorflow 2.",
               {.name = "tensorflow-2",
                .why = "distribution strategies pack gradients; across machines they speak gRPC",
                .overlaps = false,
                .packs = true,
                .sockets_only = true}},
    NamedStack{"tf_cnn_benchmarks",
               {.name = "tf-replicated",
                .why = "replicated variables are added up after the backward pass",
                .overlaps = false}},
    NamedStack{"tensorpack",
               {.name = "tf-replicated",
                .why = "replicated variables are added up after the backward pass",
                .overlaps = false}},
    NamedStack{"oneflow", {.name = "oneflow", .why = "reduces at single precision, overlapped"}},
    NamedStack{"mxnet",
               {.name = "mxnet",
                .why = "keeps half-precision weights under amp, and so reduces half-precision gradients",
                .amp_bytes_text = 2,
                .amp_bytes_image = 2}},
    NamedStack{"horovod", {.name = "horovod", .why = "fuses to 64 MB, overlapped, single precision"}},
    NamedStack{"tensorflow", {.name = "horovod", .why = "TensorFlow 1 across devices is Horovod here"}},
    NamedStack{"pytorch",
               {.name = "pytorch",
                .why = "DDP: 25 MiB buckets beside the backward pass. Text networks under amp are published "
                       "with half-precision weights (apex O2), image networks with autocast",
                .amp_bytes_text = 2}},
};

}  // namespace

StackGuess StackOf(std::string_view framework) {
  std::string text(framework);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const NamedStack& named : kStacks) {
    if (text.find(named.pattern) != std::string::npos || text == named.stack.name) return {named.stack, true};
  }
  return {kStacks.back().stack, false};
}

std::string StackNames() {
  std::string names;
  std::string_view last;
  for (const NamedStack& named : kStacks) {
    if (named.stack.name == last) continue;
    last = named.stack.name;
    if (!names.empty()) names += ", ";
    names += last;
  }
  return names;
}

double GradientBytes(const Stack& stack, std::string_view precision, SampleKind kind) {
  const bool half = precision == "amp" || precision == "fp16" || precision == "bf16";
  if (!half) return 4;
  return kind == SampleKind::kTokens ? stack.amp_bytes_text : stack.amp_bytes_image;
}

}  // namespace stallscope
