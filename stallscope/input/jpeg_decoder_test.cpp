#include "stallscope/input/jpeg_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/input/bad_sample.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Bytes = std::vector<std::uint8_t>;

RgbImage FullDecode(const Bytes& file) {
  JpegDecoder decoder;
  RgbImage image;
  decoder.Open(file);
  decoder.DecodeAll(image);
  return image;
}

std::string ComplaintAbout(const Bytes& file, const PixelRegion& region = {0, 0, 1, 1}) {
  JpegDecoder decoder;
  RgbImage image;
  try {
    decoder.Open(file);
    decoder.Decode(region, 1, image);
  } catch (const BadSample& e) {
    return e.what();
  }
  return "";
}

TEST(JpegDecoder, ARegionHasExactlyThePixelsOfAFullDecode) {
  Random random(7);
  for (const bool progressive : {false, true}) {
    const Bytes file = TestJpeg(3, 203, 150, progressive);
    const RgbImage full = FullDecode(file);
    JpegDecoder decoder;
    RgbImage part;
    for (int i = 0; i < 40; ++i) {
      PixelRegion region{.width = 1 + static_cast<int>(random.Below(203)),
                         .height = 1 + static_cast<int>(random.Below(150))};
      region.x = static_cast<int>(random.Below(static_cast<std::size_t>(203 - region.width + 1)));
      region.y = static_cast<int>(random.Below(static_cast<std::size_t>(150 - region.height + 1)));
      decoder.Open(file);
      const PixelBox box = decoder.Decode(region, 1, part);
      ASSERT_EQ(box.width, region.width);
      for (int y = 0; y < region.height; ++y) {
        const std::uint8_t* expected = full.row(region.y + y) + 3 * region.x;
        const std::uint8_t* found = part.row(static_cast<int>(box.y) + y) + 3 * static_cast<int>(box.x);
        ASSERT_TRUE(std::equal(expected, expected + 3 * region.width, found)) << i << " row " << y;
      }
    }
  }
}

TEST(JpegDecoder, OnlyAboutTheNeededPixelsAreDecoded) {
  const Bytes file = TestJpeg(3, 400, 300);
  JpegDecoder decoder;
  RgbImage part;
  decoder.Open(file);
  decoder.Decode({200, 100, 50, 40}, 1, part);
  // Columns start at a block of 16 pixels; one pixel of margin on each side.
  EXPECT_LE(part.width, 50 + 2 + 2 * 16);
  EXPECT_EQ(part.height, 40 + 2);
}

TEST(JpegDecoder, ScaledRegionsLieWhereTheirPixelsAre) {
  const Bytes file = TestJpeg(3, 200, 160);
  JpegDecoder decoder;
  RgbImage part;
  decoder.Open(file);
  const PixelBox box = decoder.Decode({50, 30, 120, 90}, 4, part);
  EXPECT_DOUBLE_EQ(box.width, 30);
  EXPECT_DOUBLE_EQ(box.height, 22.5);
  // Whole pixels of the scaled image lie to the left of and above the box, at most a block and a margin.
  EXPECT_DOUBLE_EQ(box.y - std::floor(box.y), 0.5);  // 30 / 4 = 7.5
  EXPECT_LE(box.x + box.width, part.width);
  EXPECT_LE(box.y + box.height, part.height);
}

TEST(JpegDecoder, ScalesOnlyWhereEnoughPixelsRemain) {
  const auto choose = [](int side, int out) { return ChooseDenominator({0, 0, side, side}, out, out); };
  EXPECT_EQ(choose(224, 224), 1);
  EXPECT_EQ(choose(100, 224), 1);
  EXPECT_GE(choose(1000, 100), 2);
  EXPECT_EQ(choose(10000, 100), 8);
  for (const int side : {300, 500, 1000, 3000}) EXPECT_GE(side / choose(side, 224), 224) << side;
}

TEST(JpegDecoder, CmykBecomesRgb) {
  // Inverted inks: 255 is none. Cyan fully on, the rest off: red is absorbed.
  const RgbImage cyan = FullDecode(CmykJpeg(20, 10, {0, 255, 255, 255}));
  EXPECT_NEAR(cyan.row(5)[3 * 10], 0, 3);
  EXPECT_NEAR(cyan.row(5)[3 * 10 + 1], 255, 3);
  EXPECT_NEAR(cyan.row(5)[3 * 10 + 2], 255, 3);
  const RgbImage black = FullDecode(CmykJpeg(20, 10, {255, 255, 255, 0}));
  EXPECT_NEAR(black.row(5)[3 * 10 + 1], 0, 3);
}

TEST(JpegDecoder, TheSmallestJpegIsDecoded) {
  const RgbImage image = FullDecode(TestJpeg(1, 1, 1));
  EXPECT_EQ(image.width, 1);
  EXPECT_EQ(image.height, 1);
  EXPECT_EQ(ComplaintAbout(TestJpeg(1, 1, 1)), "");
}

TEST(JpegDecoder, BadFilesAreNamedForWhatTheyAre) {
  EXPECT_EQ(ComplaintAbout({}), "is empty");
  EXPECT_EQ(ComplaintAbout({0x89, 'P', 'N', 'G', '\r', '\n', 26, '\n'}), "is a PNG, not a JPEG");
  EXPECT_EQ(ComplaintAbout({1, 2, 3, 4, 5, 6, 7, 8}), "is no JPEG");
  EXPECT_EQ(ComplaintAbout({0xFF, 0xD8}), "is truncated");
  EXPECT_THAT(ComplaintAbout(TestJpeg(1, 30000, 8)), HasSubstr("30000 x 8 pixels, more than 16384"));
  Bytes damaged = TestJpeg(1, 64, 48);
  std::fill(damaged.begin() + 2, damaged.begin() + 200, std::uint8_t{0});
  EXPECT_THAT(ComplaintAbout(damaged), StartsWith("is damaged"));
}

TEST(JpegDecoder, ATruncatedFileIsNoticedThoughTheRegionIsThere) {
  const Bytes whole = TestJpeg(2, 200, 160);
  for (const std::size_t kept : {whole.size() / 8, whole.size() / 2, whole.size() - 200}) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept));
    EXPECT_EQ(ComplaintAbout(part, {0, 0, 8, 8}), "is truncated") << kept;
  }
  Bytes padded = whole;
  padded.resize(padded.size() + 1000);
  EXPECT_EQ(ComplaintAbout(padded), "") << "bytes after the end are harmless";
}

TEST(JpegDecoder, GoesOnAfterABadFile) {
  JpegDecoder decoder;
  RgbImage image;
  const Bytes good = TestJpeg(2, 160, 120);
  const Bytes half(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2));
  for (int i = 0; i < 3; ++i) {
    decoder.Open(half);
    EXPECT_THROW(decoder.DecodeAll(image), BadSample);
    decoder.Open(good);
    EXPECT_NO_THROW(decoder.DecodeAll(image));
  }
}

TEST(JpegDecoder, RandomDamageNeverDoesMoreThanComplain) {
  Random random(11);
  const Bytes good = TestJpeg(5, 60, 50);
  JpegDecoder decoder;
  RgbImage image;
  for (int i = 0; i < 500; ++i) {
    Bytes bad = good;
    for (int j = 0; j < 4; ++j) bad[random.Below(bad.size())] = static_cast<std::uint8_t>(random.Next());
    bad.resize(1 + random.Below(bad.size()));
    try {
      const JpegSize size = decoder.Open(bad);
      decoder.Decode({0, 0, std::max(1, size.width / 2), std::max(1, size.height / 2)}, 1, image);
    } catch (const BadSample&) {
    }
  }
}

TEST(SyntheticImage, HasTheBytesPerPixelOfPhotographs) {
  double bytes = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    bytes += static_cast<double>(TestJpeg(seed, 500, 375).size());
  EXPECT_NEAR(bytes / 12, 85e3, 20e3);
}

TEST(SyntheticImage, IsTheSameForTheSameSeed) {
  EXPECT_EQ(TestJpeg(4, 90, 60), TestJpeg(4, 90, 60));
  EXPECT_NE(TestJpeg(4, 90, 60), TestJpeg(5, 90, 60));
}

}  // namespace
}  // namespace stallscope
