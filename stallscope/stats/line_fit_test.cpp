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

LinePoints Points(std::vector<double> x, std::vector<double> y, double scatter = 0) {
  const std::size_t count = x.size();
  return {.x = std::move(x), .y = std::move(y), .scatter = std::vector<double>(count, scatter)};
}

Line FitAll(const LinePoints& points) {
  return FitLine(points, 0, points.size());
}

TEST(FitLine, PointsOnALineGiveThatLine) {
  const Line line = FitAll(Points({1, 10, 100}, {5, 23, 203}));  // 3 + 2x
  EXPECT_NEAR(line.intercept, 3, 1e-9);
  EXPECT_NEAR(line.slope, 2, 1e-9);
}

TEST(FitLine, EveryPointCountsByItsRelativeError) {
  // A level through 1 and 100: (1/1 + 1/100) / (1/1² + 1/100²) = 1.0099, which is 1 % off the one and, as
  // nothing could help, 99 % off the other. By absolute errors it would be 50.5, and 5000 % off the one.
  const Line level = FitAll(Points({7, 7}, {1, 100}));
  EXPECT_NEAR(level.intercept, 1.01 / 1.0001, 1e-12);
  EXPECT_EQ(level.slope, 0);
}

TEST(FitLine, PointsThatScatterCountLess) {
  // 3 + 2x; the middle point is twice what it should be, and known to be worth little: an expected error of
  // 100 % against 2 % makes it count 2500 times less.
  LinePoints points = Points({1, 10, 100, 1000}, {5, 46, 203, 2003});
  points.scatter[1] = 1;
  EXPECT_NEAR(FitAll(points).slope, 2, 0.01);
  EXPECT_NEAR(FitAll(points).intercept, 3, 0.01);
}

TEST(FitLine, NeitherACostNorALatencyIsNegative) {
  // 2x - 1 would start below nothing: through the origin instead.
  const Line steep = FitAll(Points({1, 2, 4}, {1, 3, 7}));
  EXPECT_EQ(steep.intercept, 0);
  EXPECT_GT(steep.slope, 1);
  const Line falling = FitAll(Points({1, 2, 4}, {7, 6, 5}));
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
    if (FitPieces(Points(x, y, 0.03)).size() == 1) ++one_piece;
  }
  EXPECT_GE(one_piece, 160);
}

TEST(FitPieces, ABendIsFoundWhereItIs) {
  // Ten times slower per byte from the ninth point on, as beyond a cache.
  const std::vector<double> x = PowersOfFour(14);
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(i < 8 ? 50 + x[i] : 10 * x[i]);
  const std::vector<LinePiece> pieces = FitPieces(Points(x, y));
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
  const std::vector<LinePiece> pieces = FitPieces(Points(x, y));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].end, 7u);
  EXPECT_NEAR(pieces[1].line.intercept, 40000, 1);
  EXPECT_NEAR(pieces[1].line.slope, 1, 1e-6);
}

TEST(FitPieces, EachPieceHasItsPoints) {
  const std::vector<double> x = PowersOfFour(8);
  const std::vector<double> y = {1, 9, 2, 30, 4, 80, 9, 300};
  for (const LinePiece& piece : FitPieces(Points(x, y))) EXPECT_GE(piece.end - piece.begin, 3u);
  EXPECT_THROW(FitPieces(Points({1, 2}, {1, 2})), std::invalid_argument);
}

}  // namespace
}  // namespace stallscope
