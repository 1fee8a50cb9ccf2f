#pragma once

#include <cstdint>
#include <vector>

#include "stallscope/input/pixels.h"

namespace stallscope {

struct JpegEncoding {
  int quality = 90;  ///< 1 to 100, as libjpeg counts
  bool progressive = false;
};

/// A JPEG with chroma at half resolution, as cameras write it.
std::vector<std::uint8_t> EncodeJpeg(const RgbImage& image, const JpegEncoding& encoding);

}  // namespace stallscope
