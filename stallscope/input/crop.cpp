#include "stallscope/input/crop.h"

#include <algorithm>
#include <cmath>

namespace stallscope {
namespace {

constexpr double kLeastArea = 0.08;
constexpr double kWidestRatio = 4.0 / 3;
constexpr int kTries = 10;

}  // namespace

PixelRegion RandomResizedCrop(const JpegSize& image, Random& random) {
  const double area = static_cast<double>(image.width) * image.height;
  const double log_ratio = std::log(kWidestRatio);
  for (int i = 0; i < kTries; ++i) {
    const double wanted = area * (kLeastArea + (1 - kLeastArea) * random.Uniform());
    const double ratio = std::exp(log_ratio * (2 * random.Uniform() - 1));
    const int width = static_cast<int>(std::lround(std::sqrt(wanted * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(wanted / ratio)));
    if (width < 1 || height < 1 || width > image.width || height > image.height) continue;
    const auto x = random.Below(static_cast<std::size_t>(image.width - width + 1));
    const auto y = random.Below(static_cast<std::size_t>(image.height - height + 1));
    return {static_cast<int>(x), static_cast<int>(y), width, height};
  }
  const double ratio = static_cast<double>(image.width) / image.height;
  const double nearest = std::clamp(ratio, 1 / kWidestRatio, kWidestRatio);
  PixelRegion region{.width = image.width, .height = image.height};
  if (ratio < nearest) region.height = std::max(1, static_cast<int>(std::lround(image.width / nearest)));
  if (ratio > nearest) region.width = std::max(1, static_cast<int>(std::lround(image.height * nearest)));
  region.x = (image.width - region.width) / 2;
  region.y = (image.height - region.height) / 2;
  return region;
}

}  // namespace stallscope
