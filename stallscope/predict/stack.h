#pragma once

#include <string>
#include <string_view>

#include "stallscope/network/network.h"

namespace stallscope {

/// What of a training stack decides how its gradients travel.
struct Stack {
  std::string_view name;
  std::string_view why;       ///< where that is known from
  bool overlaps = true;       ///< gradients travel beside the backward pass; else after it
  bool packs = false;         ///< gradients are gathered and scattered by copies that nothing hides
  bool fuses = true;          ///< small gradients travel together; else every tensor alone
  bool sockets_only = false;  ///< its collectives across machines go through TCP whatever the link can do
  /// Bytes of a gradient under amp: 2 where the weights of the device are kept at half precision.
  int amp_bytes_text = 4;
  int amp_bytes_image = 4;
};

/// From the words of a `framework` column or of --stack. An unknown or empty text is PyTorch's kind:
/// overlapped and fused; `known` then is false.
struct StackGuess {
  Stack stack;
  bool known = false;
};
StackGuess StackOf(std::string_view framework);

/// What --stack takes: "paddle-1, paddle, …".
std::string StackNames();

/// Bytes per gradient element.
double GradientBytes(const Stack& stack, std::string_view precision, SampleKind kind);

}  // namespace stallscope
