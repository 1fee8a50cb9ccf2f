#include "stallscope/input/synthetic_image.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

/// Deviation of one octave of brightness, in steps of 255; chosen for the bytes per pixel that the header
/// promises. Images scatter around it by kContrastSpread (of its logarithm).
constexpr double kOctaveDeviation = 9.6;
constexpr double kContrastSpread = 0.25;
/// Colour varies less than brightness in photographs.
constexpr double kChromaPart = 0.35;
constexpr int kLargestCell = 256;

/// A plane of noise, octave by octave: random values on a lattice, blended linearly between its points.
class OctaveNoise {
 public:
  OctaveNoise(int width, int height) : width_(width), height_(height) {
    values_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }

  void Fill(double deviation, Random& random) {
    std::fill(values_.begin(), values_.end(), 0.0F);
    for (int cell = kLargestCell; cell >= 1; cell /= 2) AddOctave(cell, deviation, random);
  }

  const float* row(int y) const {
    return values_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
  }

 private:
  void AddOctave(int cell, double deviation, Random& random) {
    const int columns = width_ / cell + 2;
    const int rows = height_ / cell + 2;
    lattice_.resize(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    // Uniform on [-a, a] has the deviation a / sqrt(3); the sum of octaves is near normal in any case.
    const double range = deviation * std::sqrt(3.0);
    for (float& value : lattice_) value = static_cast<float>(range * (2 * random.Uniform() - 1));
    const float step = 1.0F / static_cast<float>(cell);
    for (int y = 0; y < height_; ++y) {
      const float* above = lattice_.data() + static_cast<std::ptrdiff_t>(y / cell) * columns;
      const float down = static_cast<float>(y % cell) * step;
      float* out = values_.data() + static_cast<std::ptrdiff_t>(y) * width_;
      AddLine(above, above + columns, down, cell, step, out);
    }
  }

  void AddLine(const float* above, const float* below, float down, int cell, float step, float* out) const {
    for (int x0 = 0, column = 0; x0 < width_; x0 += cell, ++column) {
      const float left = above[column] + down * (below[column] - above[column]);
      const float right = above[column + 1] + down * (below[column + 1] - above[column + 1]);
      const float slope = (right - left) * step;
      const int end = std::min(cell, width_ - x0);
      for (int i = 0; i < end; ++i) out[x0 + i] += left + slope * static_cast<float>(i);
    }
  }

  int width_;
  int height_;
  std::vector<float> values_;
  std::vector<float> lattice_;
};

std::uint8_t ToByte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

}  // namespace

void FillSyntheticImage(std::uint64_t seed, int width, int height, RgbImage& image) {
  Random random(seed);
  const double contrast = kOctaveDeviation * std::exp(kContrastSpread * random.Normal());
  OctaveNoise brightness(width, height);
  OctaveNoise blue(width, height);
  OctaveNoise red(width, height);
  brightness.Fill(contrast, random);
  blue.Fill(kChromaPart * contrast, random);
  red.Fill(kChromaPart * contrast, random);
  image.Resize(width, height);
  for (int y = 0; y < height; ++y) {
    std::uint8_t* out = image.row(y);
    for (int x = 0; x < width; ++x) {
      // JFIF's own conversion from luma and chroma.
      const float luma = 118 + brightness.row(y)[x];
      const float cb = blue.row(y)[x];
      const float cr = red.row(y)[x];
      out[3 * x] = ToByte(luma + 1.402F * cr);
      out[3 * x + 1] = ToByte(luma - 0.344F * cb - 0.714F * cr);
      out[3 * x + 2] = ToByte(luma + 1.772F * cb);
    }
  }
}

}  // namespace stallscope
