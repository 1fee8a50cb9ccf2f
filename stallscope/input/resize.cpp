#include "stallscope/input/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace stallscope {
namespace {

// GCC's and Clang's vectors: the same source becomes SSE, AVX2 or NEON.
using Bytes8 = std::uint8_t __attribute__((vector_size(8)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Floats8 = float __attribute__((vector_size(32)));
using Floats4 = float __attribute__((vector_size(16)));

constexpr std::size_t kBlock = 16;

template <typename Vector, typename Value>
[[gnu::always_inline]] inline Vector Load(const Value* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}

template <typename Vector>
[[gnu::always_inline]] inline void Store(float* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}

/// Eight bytes as floats. Compilers make scalar code of the portable conversion, so AVX2 says it by name.
struct Portable {
  [[gnu::always_inline]] static void Widen(const std::uint8_t* from, Floats8& to) {
    to = __builtin_convertvector(__builtin_convertvector(Load<Bytes8>(from), Ints8), Floats8);
  }
};
#ifdef __x86_64__
struct Avx2 {
  [[gnu::target("avx2")]] static void Widen(const std::uint8_t* from, Floats8& to) {
    to = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
  }
};
#endif

/// out[i] = sum over the taps of weight * row[i], for i in [begin, end), in blocks of kBlock.
template <typename Isa>
[[gnu::always_inline]] inline void MixRows(const RgbImage& image, const Resizer::Taps& taps,
                                           const float* weights, std::size_t begin, std::size_t end,
                                           float* out) {
  const std::size_t stride = image.stride();
  const std::uint8_t* first = image.row(taps.first);
  for (std::size_t i = begin; i < end; i += kBlock) {
    Floats8 low = {};
    Floats8 high = {};
    const std::uint8_t* source = first + i;
    for (int tap = 0; tap < taps.count; ++tap, source += stride) {
      const float weight = weights[tap];
      Floats8 left;
      Floats8 right;
      Isa::Widen(source, left);
      Isa::Widen(source + 8, right);
      low += weight * left;
      high += weight * right;
    }
    Store(out + i, low);
    Store(out + i + 8, high);
  }
}

/// One output pixel: red, green, blue and a lane that means nothing.
[[gnu::always_inline]] inline Floats4 MixPixels(const float* row, const Resizer::Taps& taps,
                                                const float* weights) {
  Floats4 sum = {};
  const float* source = row + 3 * static_cast<std::ptrdiff_t>(taps.first);
  for (int tap = 0; tap < taps.count; ++tap, source += 3) sum += weights[tap] * Load<Floats4>(source);
  return sum;
}

struct Planes {
  float* red;
  float* green;
  float* blue;
};

[[gnu::always_inline]] inline void MixColumns(const float* row, const Resizer::Table& table,
                                              const Floats4& scale, const Floats4& offset,
                                              const Planes& out) {
  const std::size_t width = table.taps.size();
  const float* weights = table.weights.data();
  std::size_t x = 0;
  for (; x + 4 <= width; x += 4) {
    Floats4 pixel[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const Resizer::Taps& taps = table.taps[x + i];
      pixel[i] = MixPixels(row, taps, weights + taps.weights) * scale + offset;
    }
    // Four pixels of three channels become three channels of four pixels.
    const Floats4 red_green_01 = __builtin_shufflevector(pixel[0], pixel[1], 0, 4, 1, 5);
    const Floats4 red_green_23 = __builtin_shufflevector(pixel[2], pixel[3], 0, 4, 1, 5);
    const Floats4 blue_01 = __builtin_shufflevector(pixel[0], pixel[1], 2, 6, 3, 7);
    const Floats4 blue_23 = __builtin_shufflevector(pixel[2], pixel[3], 2, 6, 3, 7);
    Store(out.red + x, __builtin_shufflevector(red_green_01, red_green_23, 0, 1, 4, 5));
    Store(out.green + x, __builtin_shufflevector(red_green_01, red_green_23, 2, 3, 6, 7));
    Store(out.blue + x, __builtin_shufflevector(blue_01, blue_23, 0, 1, 4, 5));
  }
  for (; x < width; ++x) {
    const Resizer::Taps& taps = table.taps[x];
    const Floats4 pixel = MixPixels(row, taps, weights + taps.weights) * scale + offset;
    out.red[x] = pixel[0];
    out.green[x] = pixel[1];
    out.blue[x] = pixel[2];
  }
}

template <typename Isa>
[[gnu::always_inline]] inline void ResizeBody(const RgbImage& image, const Resizer::Table& columns,
                                              const Resizer::Table& rows, std::size_t begin, std::size_t end,
                                              const Normalization& normalization, float* row, float* out) {
  const auto& [scale, offset] = normalization;
  const Floats4 scale4 = {scale[0], scale[1], scale[2], 0};
  const Floats4 offset4 = {offset[0], offset[1], offset[2], 0};
  const std::size_t width = columns.taps.size();
  const std::size_t plane = width * rows.taps.size();
  for (std::size_t y = 0; y < rows.taps.size(); ++y) {
    const Resizer::Taps& taps = rows.taps[y];
    MixRows<Isa>(image, taps, rows.weights.data() + taps.weights, begin, end, row);
    float* red = out + y * width;
    MixColumns(row, columns, scale4, offset4, {red, red + plane, red + 2 * plane});
  }
}

using Body = void (*)(const RgbImage&, const Resizer::Table&, const Resizer::Table&, std::size_t, std::size_t,
                      const Normalization&, float*, float*);

void ResizePortably(const RgbImage& image, const Resizer::Table& columns, const Resizer::Table& rows,
                    std::size_t begin, std::size_t end, const Normalization& normalization, float* row,
                    float* out) {
  ResizeBody<Portable>(image, columns, rows, begin, end, normalization, row, out);
}

#ifdef __x86_64__
/// AVX2 without fused multiply-add: results are the same on every machine.
[[gnu::target("avx2")]] void ResizeWithAvx2(const RgbImage& image, const Resizer::Table& columns,
                                            const Resizer::Table& rows, std::size_t begin, std::size_t end,
                                            const Normalization& normalization, float* row, float* out) {
  ResizeBody<Avx2>(image, columns, rows, begin, end, normalization, row, out);
}
#endif

Body ChooseBody() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return ResizeWithAvx2;
#endif
  return ResizePortably;
}

/// The triangle filter of Pillow's `resize(box=...)`: output pixel i has its centre at
/// begin + (i + 1/2) * scale, and a half-width of max(scale, 1). `limit`: source pixels on this axis.
void FillTable(double begin, double length, int limit, int outputs, bool flip, Resizer::Table& table) {
  const double scale = length / outputs;
  const double support = std::max(scale, 1.0);
  const int lowest = std::max(0, static_cast<int>(std::floor(begin)));
  const int highest = std::min(limit, static_cast<int>(std::ceil(begin + length)));
  table.taps.resize(static_cast<std::size_t>(outputs));
  table.weights.clear();
  for (int i = 0; i < outputs; ++i) {
    const double center = begin + (i + 0.5) * scale;
    const int first = std::clamp(static_cast<int>(std::floor(center - support + 0.5)), lowest, highest - 1);
    const int last = std::clamp(static_cast<int>(std::floor(center + support + 0.5)), first + 1, highest);
    Resizer::Taps taps{.first = first, .count = 0, .weights = static_cast<int>(table.weights.size())};
    double sum = 0;
    for (int pixel = first; pixel < last; ++pixel) {
      const double weight = std::max(0.0, 1 - std::fabs(pixel + 0.5 - center) / support);
      if (weight <= 0 && taps.count == 0 && pixel + 1 < last) {
        ++taps.first;
        continue;
      }
      table.weights.push_back(static_cast<float>(weight));
      sum += weight;
      ++taps.count;
    }
    while (taps.count > 1 && table.weights.back() == 0) {
      table.weights.pop_back();
      --taps.count;
    }
    if (sum == 0) sum = table.weights.back() = 1;  // a box thinner than the filter's zero: its only pixel
    for (auto w = table.weights.begin() + taps.weights; w != table.weights.end(); ++w)
      *w = static_cast<float>(*w / sum);
    table.taps[static_cast<std::size_t>(flip ? outputs - 1 - i : i)] = taps;
  }
}

}  // namespace

Normalization ImageNetNormalization() {
  constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
  constexpr std::array<float, 3> kDeviation = {0.229F, 0.224F, 0.225F};
  Normalization normalization;
  for (std::size_t c = 0; c < 3; ++c) {
    normalization.scale[c] = 1 / (255 * kDeviation[c]);
    normalization.offset[c] = -kMean[c] / kDeviation[c];
  }
  return normalization;
}

void Resizer::Resize(const RgbImage& image, const PixelBox& box, int width, int height, bool flip,
                     const Normalization& normalization, float* out) {
  static const Body kBody = ChooseBody();
  FillTable(box.x, box.width, image.width, width, flip, columns_);
  FillTable(box.y, box.height, image.height, height, false, rows_);
  const auto left = static_cast<std::size_t>(std::max(0.0, std::floor(box.x)));
  const auto right = static_cast<std::size_t>(std::min<double>(image.width, std::ceil(box.x + box.width)));
  const std::size_t begin = 3 * left / kBlock * kBlock;
  // A block past the last pixel, and the lane of a pixel that means nothing.
  row_.resize(static_cast<std::size_t>(image.width) * 3 + 2 * kBlock);
  kBody(image, columns_, rows_, begin, 3 * right, normalization, row_.data(), out);
}

}  // namespace stallscope
