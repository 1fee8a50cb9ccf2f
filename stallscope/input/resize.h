#pragma once

#include <array>
#include <vector>

#include "stallscope/input/pixels.h"

namespace stallscope {

/// Pixel values 0 to 255 become value * scale + offset, per channel.
struct Normalization {
  std::array<float, 3> scale = {1, 1, 1};
  std::array<float, 3> offset = {0, 0, 0};
};

/// (value / 255 - mean) / deviation with the means and deviations of ImageNet, as torchvision's networks
/// expect them.
Normalization ImageNetNormalization();

/// Bilinear resizing with antialiasing, as Pillow and torchvision do it: a triangle filter that is as wide
/// as two output pixels when it shrinks. First down the columns, then along the rows.
/// Keeps its tables and rows from image to image; one thread at a time.
class Resizer {
 public:
  /// Writes the box of `image` as three planes of `height` x `width` floats at `out`, mirrored where `flip`.
  void Resize(const RgbImage& image, const PixelBox& box, int width, int height, bool flip,
              const Normalization& normalization, float* out);

  /// The source pixels that make one output pixel.
  struct Taps {
    int first = 0;
    int count = 0;
    int weights = 0;  ///< where they begin in the table
  };
  struct Table {
    std::vector<Taps> taps;
    std::vector<float> weights;
  };

 private:
  Table columns_;
  Table rows_;
  std::vector<float> row_;
};

}  // namespace stallscope
