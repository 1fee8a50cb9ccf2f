#include "stallscope/input/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stallscope/input/crop.h"
#include "stallscope/input/jpeg_for_tests.h"

namespace stallscope {
namespace {

/// The definition, in double precision and two dimensions at once: a region of whole pixels, cut out and then
/// resized with a triangle filter.
std::vector<double> ReferenceResize(const RgbImage& image, const PixelRegion& region, int side) {
  const auto weights = [&](int length, int i) {
    const double scale = static_cast<double>(length) / side;
    const double support = std::max(1.0, scale);
    std::vector<double> values(static_cast<std::size_t>(length));
    double sum = 0;
    for (int k = 0; k < length; ++k) {
      values[static_cast<std::size_t>(k)] =
          std::max(0.0, 1 - std::fabs(k + 0.5 - (i + 0.5) * scale) / support);
      sum += values[static_cast<std::size_t>(k)];
    }
    for (double& value : values) value /= sum;
    return values;
  };
  std::vector<std::vector<double>> across;
  for (int x = 0; x < side; ++x) across.push_back(weights(region.width, x));
  std::vector<double> out(3UL * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  std::vector<double> line(3UL * static_cast<std::size_t>(region.width));
  for (int y = 0; y < side; ++y) {
    const std::vector<double> down = weights(region.height, y);
    std::fill(line.begin(), line.end(), 0.0);
    for (int k = 0; k < region.height; ++k) {
      const double weight = down[static_cast<std::size_t>(k)];
      if (weight == 0) continue;
      const std::uint8_t* row = image.row(region.y + k) + 3 * region.x;
      for (std::size_t i = 0; i < line.size(); ++i) line[i] += weight * row[i];
    }
    for (int x = 0; x < side; ++x) {
      const std::vector<double>& row_weights = across[static_cast<std::size_t>(x)];
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < row_weights.size(); ++k)
          sum += row_weights[k] * line[3 * k + static_cast<std::size_t>(c)];
        out[static_cast<std::size_t>((c * side + y) * side + x)] = sum;
      }
    }
  }
  return out;
}

struct Prepared {
  std::vector<float> ours;
  std::vector<double> reference;
};

Prepared PrepareBoth(const std::vector<std::uint8_t>& file, const PixelRegion& region, int side) {
  JpegDecoder decoder;
  RgbImage image;
  Resizer resizer;
  Prepared both;
  both.ours.resize(3UL * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  decoder.Open(file);
  const PixelBox box = decoder.Decode(region, ChooseDenominator(region, side, side), image);
  resizer.Resize(image, box, side, side, false, {}, both.ours.data());
  decoder.Open(file);
  decoder.DecodeAll(image);
  both.reference = ReferenceResize(image, region, side);
  return both;
}

double MeanAbsoluteDifference(const Prepared& both) {
  double sum = 0;
  for (std::size_t i = 0; i < both.ours.size(); ++i) sum += std::fabs(both.ours[i] - both.reference[i]);
  return sum / static_cast<double>(both.ours.size());
}

TEST(Pixels, DifferByAtMostTwoOf255FromFullDecodeAndResize) {
  Random random(3);
  double sum = 0;
  double worst = 0;
  constexpr int kImages = 200;
  for (int i = 0; i < kImages; ++i) {
    const JpegSize size{180 + static_cast<int>(random.Below(60)), 140 + static_cast<int>(random.Below(60))};
    const auto file = TestJpeg(static_cast<std::uint64_t>(i), size.width, size.height);
    const int side = std::array{112, 64, 40, 24, 12}[static_cast<std::size_t>(i % 5)];
    const double difference =
        MeanAbsoluteDifference(PrepareBoth(file, RandomResizedCrop(size, random), side));
    sum += difference;
    worst = std::max(worst, difference);
  }
  EXPECT_LE(sum / kImages, 2.0);
  RecordProperty("mean", std::to_string(sum / kImages));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(worst, 4.0);
}

TEST(Pixels, AreExactWhereNothingIsScaled) {
  for (const PixelRegion region :
       {PixelRegion{0, 0, 64, 64}, PixelRegion{37, 21, 64, 64}, PixelRegion{136, 86, 64, 64}}) {
    const Prepared both = PrepareBoth(TestJpeg(9, 200, 150), region, 64);
    for (std::size_t i = 0; i < both.ours.size(); ++i) ASSERT_EQ(both.ours[i], both.reference[i]) << i;
  }
}

TEST(Pixels, AreThoseOfTheDefinitionToRoundingWhereTheCodecDoesNotScale) {
  for (const int side : {17, 50, 90, 150}) {
    RgbImage image = TestImage(2, 80, 70);
    Resizer resizer;
    std::vector<float> ours(3UL * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    resizer.Resize(image, {5, 3, 61, 60}, side, side, false, {}, ours.data());
    const std::vector<double> reference = ReferenceResize(image, {5, 3, 61, 60}, side);
    for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], reference[i], 1e-3) << side;
  }
}

TEST(Resizer, AFlipMirrorsTheRows) {
  const RgbImage image = TestImage(2, 30, 20);
  Resizer resizer;
  std::vector<float> straight(3 * 13 * 13);
  std::vector<float> mirrored(3 * 13 * 13);
  resizer.Resize(image, {0, 0, 30, 20}, 13, 13, false, {}, straight.data());
  resizer.Resize(image, {0, 0, 30, 20}, 13, 13, true, {}, mirrored.data());
  for (std::size_t row = 0; row < 39; ++row) {
    for (std::size_t x = 0; x < 13; ++x) ASSERT_EQ(straight[row * 13 + x], mirrored[row * 13 + 12 - x]);
  }
}

TEST(Resizer, NormalisesAsTorchvisionDoes) {
  RgbImage image;
  image.Resize(1, 1);
  image.row(0)[0] = 255;
  image.row(0)[1] = 0;
  image.row(0)[2] = 51;
  Resizer resizer;
  std::vector<float> out(3 * 4);
  resizer.Resize(image, {0, 0, 1, 1}, 2, 2, false, ImageNetNormalization(), out.data());
  EXPECT_NEAR(out[0], (1.0 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(out[4], (0.0 - 0.456) / 0.224, 1e-5);
  EXPECT_NEAR(out[8], (0.2 - 0.406) / 0.225, 1e-5);
}

TEST(RandomResizedCrop, StaysInsideAndCoversItsShareOfTheArea) {
  Random random(5);
  for (const JpegSize size : {JpegSize{500, 375}, JpegSize{1, 1}, JpegSize{2000, 3}, JpegSize{3, 900}}) {
    for (int i = 0; i < 500; ++i) {
      const PixelRegion region = RandomResizedCrop(size, random);
      ASSERT_GE(region.x, 0);
      ASSERT_GE(region.y, 0);
      ASSERT_GE(region.width, 1);
      ASSERT_GE(region.height, 1);
      ASSERT_LE(region.x + region.width, size.width);
      ASSERT_LE(region.y + region.height, size.height);
    }
  }
}

TEST(RandomResizedCrop, IsTheSameForTheSameSeed) {
  Random one(8);
  Random other(8);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(RandomResizedCrop({500, 375}, one), RandomResizedCrop({500, 375}, other));
}

}  // namespace
}  // namespace stallscope
