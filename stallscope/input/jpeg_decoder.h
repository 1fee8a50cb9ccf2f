#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stallscope/input/pixels.h"

namespace stallscope {

/// Larger images are refused: nobody trains on them, and one would hold a worker for seconds.
constexpr int kLargestJpegSide = 16384;

struct JpegSize {
  int width = 0;
  int height = 0;
};

/// Decodes JPEGs one after another with libjpeg-turbo; baseline and progressive, grey, YCbCr, RGB, CMYK
/// and YCCK, always to RGB. One thread at a time. Everything throws BadSample where the bytes are no
/// whole JPEG.
class JpegDecoder {
 public:
  JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder();

  /// Reads the header. The bytes must live until the image has been decoded.
  JpegSize Open(std::span<const std::uint8_t> file);
  JpegSize Open(std::vector<std::uint8_t>&& file) = delete;

  /// Decodes at least this region of the opened image, at 1/`denominator` (1, 2, 4 or 8) of its size, into
  /// `pixels`. Gives the region's place in it: codecs start at their own block boundaries, and one pixel of
  /// margin lets chroma be interpolated as in a full decode.
  PixelBox Decode(const PixelRegion& region, int denominator, RgbImage& pixels);

  /// Decodes the whole image and reads to the end of the file.
  void DecodeAll(RgbImage& pixels);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The largest denominator whose image still has enough pixels for an output of `out` pixels a side.
int ChooseDenominator(const PixelRegion& region, int out_width, int out_height);

}  // namespace stallscope
