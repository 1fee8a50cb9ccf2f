#include <fmt/format.h>

#include "stallscope/network/families.h"

namespace stallscope {

/// `layers` linear layers with ReLUs between them: the pixels to `width`, `width` to `width`, and the last
/// to the classes.
Network BuildMlp(const BuildRequest& request) {
  const int layers = WholeNumber(request.spec, "layers", 8, 1);
  const int width = WholeNumber(request.spec, "width", 512, 1);
  NetworkBuilder net(request.spec.text, request.classes);
  auto x = net.Flatten(net.Images(request.image_size));
  for (int i = 0; i + 1 < layers; ++i) {
    x = net.Relu(net.Linear(fmt::format("layers.{}", i), x, {.out = width}));
  }
  x = net.Linear(fmt::format("layers.{}", layers - 1), x,
                 {.out = request.classes, .weight_std = kClassifierStd});
  return net.Finish(x);
}

}  // namespace stallscope
