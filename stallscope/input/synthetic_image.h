#pragma once

#include <cstdint>

#include "stallscope/input/pixels.h"

namespace stallscope {

/// An image whose amplitude falls as 1/f, as that of photographs does (Field 1987): equal variance in every
/// octave, from the whole image down to single pixels, and less of it in colour than in brightness. JPEGs of
/// it at kSyntheticQuality take 0.45 bytes per pixel on average, as ImageNet's do, and differ from image to
/// image as photographs do.
void FillSyntheticImage(std::uint64_t seed, int width, int height, RgbImage& image);

constexpr int kSyntheticQuality = 90;

}  // namespace stallscope
