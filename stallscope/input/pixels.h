#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stallscope {

/// A rectangle of whole pixels.
struct PixelRegion {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  bool operator==(const PixelRegion&) const = default;
};

/// A rectangle whose edges may lie inside pixels: a region of an image that was decoded at half its size.
struct PixelBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Rows of interleaved RGB. Vector loads may read up to kRowPadding bytes past a row's last pixel, so
/// that many are always there.
struct RgbImage {
  static constexpr std::size_t kRowPadding = 16;

  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes;

  /// Grows only: a worker's image is used for every sample, and clearing it would cost a pass over it.
  void Resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    const std::size_t needed = stride() * static_cast<std::size_t>(height);
    if (bytes.size() < needed) bytes.resize(needed);
  }

  std::size_t stride() const { return static_cast<std::size_t>(width) * 3 + kRowPadding; }
  std::uint8_t* row(int y) { return bytes.data() + stride() * static_cast<std::size_t>(y); }
  const std::uint8_t* row(int y) const { return bytes.data() + stride() * static_cast<std::size_t>(y); }
};

}  // namespace stallscope
