#include "stallscope/stats/line_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

std::vector<double> PowersOfFour(int count) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(std::pow(4.0, i));
  return x;
}

TEST(FitLine, PointsOnALineGiveThatLine) {
  const std::vector<double> x = {1, 10, 100};
  const std::vector<double> y = {5, 23, 203};  // 3 + 2x
  const Line line = FitLine(x, y);
  EXPECT_NEAR(line.intercept, 3, 1e-9);
  EXPECT_NEAR(line.slope, 2, 1e-9);
}

TEST(FitLine, EveryPointCountsByItsRelativeError) {
  // A level through 1 and 100: (1/1 + 1/100) / (1/1² + 1/100²) = 1.0099, which is 1 % off the one and, as
  // nothing could help, 99 % off the other. By absolute errors it would be 50.5, and 5000 % off the one.
  const Line level = FitLine(std::vector<double>{7, 7}, std::vector<double>{1, 100});
  EXPECT_NEAR(level.intercept, 1.01 / 1.0001, 1e-12);
  EXPECT_EQ(level.slope, 0);
}

TEST(FitLine, NeitherACostNorALatencyIsNegative) {
  // 2x - 1 would start below nothing: through the origin instead.
  const Line steep = FitLine(std::vector<double>{1, 2, 4}, std::vector<double>{1, 3, 7});
  EXPECT_EQ(steep.intercept, 0);
  EXPECT_GT(steep.slope, 1);
  const Line falling = FitLine(std::vector<double>{1, 2, 4}, std::vector<double>{7, 6, 5});
  EXPECT_EQ(falling.slope, 0);
  EXPECT_NEAR(falling.intercept, 6, 0.5);
}

TEST(FitPieces, OneLineStaysOnePieceUnderNoise) {
  Random random(3);
  int one_piece = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<double> x = PowersOfFour(13);
    std::vector<double> y;
    for (const double at : x) y.push_back((1e-4 + 1e-9 * at) * (1 + 0.03 * random.Normal()));
    if (FitPieces(x, y).size() == 1) ++one_piece;
  }
  EXPECT_GE(one_piece, 160);
}

TEST(FitPieces, ABendIsFoundWhereItIs) {
  // Ten times slower per byte from the ninth point on, as beyond a cache.
  const std::vector<double> x = PowersOfFour(14);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(i < 8 ? 50 + x[i] : 10 * x[i]);
  const std::vector<LinePiece> pieces = FitPieces(x, y);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].end, 8u);
  EXPECT_EQ(pieces[1].begin, 8u);
  EXPECT_EQ(pieces[1].end, 14u);
  EXPECT_NEAR(pieces[0].line.intercept, 50, 1e-6);
  EXPECT_NEAR(pieces[1].line.slope, 10, 1e-9);
}

TEST(FitPieces, AJumpNeedsNoContinuity) {
  // Another protocol from the eighth point on: 1000 more at once, and half the cost per byte.
  const std::vector<double> x = PowersOfFour(14);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(i < 7 ? 100 + 2 * x[i] : 40000 + x[i]);
  const std::vector<LinePiece> pieces = FitPieces(x, y);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].end, 7u);
  EXPECT_NEAR(pieces[1].line.intercept, 40000, 1);
  EXPECT_NEAR(pieces[1].line.slope, 1, 1e-6);
}

TEST(FitPieces, EachPieceHasItsPoints) {
  const std::vector<double> x = PowersOfFour(8);
  const std::vector<double> y = {1, 9, 2, 30, 4, 80, 9, 300};
  for (const LinePiece& piece : FitPieces(x, y)) EXPECT_GE(piece.end - piece.begin, 3u);
  EXPECT_THROW(FitPieces(std::span(x).first(2), std::span(y).first(2)), std::invalid_argument);
}

}  // namespace
}  // namespace stallscope
