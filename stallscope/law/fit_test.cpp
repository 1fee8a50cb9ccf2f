#include "stallscope/law/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/law/law_document.h"
#include "stallscope/law/law_words.h"
#include "stallscope/law/made_sweep_for_tests.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

const ExchangeLaw kTruth{.message_s = 500e-6,
                         .tensor_s = 30e-6,
                         .processor_s_per_byte = 1.2e-9,
                         .copy_s_per_byte = 0.5e-9,
                         .wire_share = 0.9,
                         .straggling_s = 0.02};

TEST(LawFit, RecoversTheCoefficientsOfMadeUpPoints) {
  const FitData data = FitDataOf(MadeSweep(kTruth, 0));
  EXPECT_EQ(data.points.size(), 6U * 3 * 3);
  const ExchangeLaw fitted = FitLaw(AllPoints(data));
  for (const LawCoefficient& coefficient : LawCoefficients()) {
    const double truth = kTruth.*coefficient.value;
    EXPECT_NEAR(fitted.*coefficient.value, truth, 0.03 * truth + 0.002 * coefficient.scale)
        << coefficient.name;
  }
}

TEST(LawFit, IntervalsHoldTheTruthWherePointsScatter) {
  const FitData data = FitDataOf(MadeSweep(kTruth, 0.01));
  const ExchangeLaw fitted = FitLaw(AllPoints(data));
  const std::vector<LawValue> values = CoefficientsOf(data, fitted, 1, 40);
  ASSERT_EQ(values.size(), kLawCoefficients);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double truth = kTruth.*LawCoefficients()[i].value;
    EXPECT_LT(values[i].value.low, values[i].value.high) << values[i].name;
    // One interval in twenty may miss; none may miss by far.
    const double half = values[i].value.HalfWidth();
    EXPECT_NEAR(values[i].value.mean, truth, 2.5 * half + 0.05 * truth) << values[i].name;
  }
}

TEST(LawFit, DisturbedPointsCountOnlyWhereTheOthersAreTooFew) {
  Sweep sweep = MadeSweep(kTruth, 0);
  for (SweepRound& round : sweep.cells.front().rounds) round.crowd.polluted = true;
  EXPECT_EQ(FitDataOf(sweep).points.size(), 54U - 3);
  sweep.cells.resize(3);  // 3 disturbed points, and 6 that are as many as the coefficients
  EXPECT_EQ(FitDataOf(sweep).points.size(), 9U);
}

TEST(LawFit, WhatNoPointSaysStaysAsItWas) {
  FitData data = FitDataOf(MadeSweep(kTruth, 0));
  std::erase_if(data.points, [](const FitPoint& point) { return point.step.wire.has_value(); });
  EXPECT_NEAR(FitLaw(AllPoints(data)).wire_share, ExchangeLaw{}.wire_share, 1e-6);
}

TEST(MacroscopicForm, FindsAPlane) {
  FitData data = FitDataOf(MadeSweep(kTruth, 0));
  std::vector<const FitPoint*> points;
  for (FitPoint& point : data.points) {
    if (point.place.bucket != "model" || point.place.link != "1Gbit") continue;
    const LawNetwork& network = data.networks[point.network];
    // 1 ms + 20 us a layer + 8 ns a byte.
    const double stall = 1e-3 + 20e-6 * static_cast<double>(network.layers) +
                         8e-9 * static_cast<double>(network.gradient_bytes);
    point.measured.stall_s = {stall, stall, stall};
    points.push_back(&point);
  }
  const auto form = FitMacroscopic(data, points);
  ASSERT_TRUE(form);
  EXPECT_NEAR(form->base_s.mean, 1e-3, 1e-7);
  EXPECT_NEAR(form->per_layer_s.mean, 20e-6, 1e-9);
  EXPECT_NEAR(form->per_byte_s.mean, 8e-9, 1e-13);
  points.resize(3);
  EXPECT_FALSE(FitMacroscopic(data, points)) << "three points always lie in a plane";
}

TEST(LawErrors, AreSharesOfStepTime) {
  const auto errors = ErrorsOf({{0.01, 0, 0}, {-0.04, 0, 1}, {0.02, 1, 2}});
  ASSERT_TRUE(errors);
  EXPECT_DOUBLE_EQ(errors->median, 0.02);
  EXPECT_DOUBLE_EQ(errors->worst, 0.04);
  EXPECT_EQ(errors->worst_point, 1U);
  EXPECT_EQ(errors->networks, 2);
  EXPECT_NEAR(errors->bias, -0.01 / 3, 1e-12);
  EXPECT_FALSE(ErrorsOf({}));
}

TEST(MakeLaw, JudgesEveryPointWithoutItsNetworkAndAnswers) {
  const Law law = MakeLaw(MadeSweep(kTruth, 0.005), {.resamples = 20, .small_parameters = 10'000'000});
  ASSERT_EQ(law.points.size(), 54U);
  for (const LawPoint& point : law.points) {
    ASSERT_TRUE(point.law_left_out) << point.network;
    EXPECT_LT(std::abs(point.law_left_out->error), 0.05) << point.network;
  }
  ASSERT_TRUE(law.law_errors && law.macroscopic_errors);
  EXPECT_LT(law.law_errors->median, law.macroscopic_errors->median);
  // 64 MiB are 16.8 million parameters; the others have less than 10.
  ASSERT_TRUE(law.extrapolation);
  EXPECT_EQ(law.extrapolation->rows.size(), 9U);
  EXPECT_LT(law.extrapolation->worst, 0.1);
  // A layer has two tensors: 2 x (30 us + 2 x 500 us) each on its own, 2 x 30 us in buckets.
  for (const LawDepth& depth : law.depth) {
    if (depth.place.link != "unshaped") continue;
    const double expected = depth.place.bucket == "tensor" ? 2060e-6 : 60e-6;
    EXPECT_NEAR(depth.per_layer_s.mean, expected, 0.3 * expected) << depth.place.bucket;
  }
  // 60 us x 126 layers are 7.6 ms of a step of 38 ms.
  EXPECT_THAT(law.answer, HasSubstr("Also where gradients are bucketed the number of layers matters"));
  EXPECT_THAT(law.answer, HasSubstr("one all-reduce per tensor"));
  EXPECT_EQ(law.statements.size(), 9U + 3);
  EXPECT_EQ(ToJson(LawFromJson(ToJson([&] {
                                 Law dated = law;
                                 dated.created = "2026-01-01T00:00:00Z";
                                 return dated;
                               }()),
                               "made"))
                .empty(),
            false);
}

TEST(MakeLaw, TheAnswerFollowsTheNumbers) {
  ExchangeLaw free = kTruth;  // nothing but all-reduces depends on the number of layers
  free.tensor_s = free.straggling_s = 0;
  const Law law = MakeLaw(MadeSweep(free, 0), {.resamples = 2});
  EXPECT_THAT(law.answer, HasSubstr("Once gradients are bucketed"));
}

TEST(AnswerOf, SpeaksOfTheLargestEffectThatCanBeToldFromZero) {
  const auto depth = [](const std::string& link, Estimate growth) {
    LawDepth one;
    one.place = {.bucket = "25MiB", .link = link, .ranks = 2};
    one.rows = {{.layers = 2}, {.layers = 128}};
    one.growth = growth;
    one.distinguishable = !growth.HoldsZero();
    return one;
  };
  Law law;
  law.depth = {depth("1Gbit", {0.06, 0.05, 0.07}), depth("unshaped", {0.17, -0.01, 0.35})};
  EXPECT_THAT(AnswerOf(law), HasSubstr("the step changes by +6.0 % (+5.0 to +7.0 %) at most"));
  law.depth.erase(law.depth.begin());
  EXPECT_THAT(AnswerOf(law), HasSubstr("no effect of the number of layers can be told from zero"));
  EXPECT_THAT(AnswerOf(law), HasSubstr("+17.0 %"));
}

TEST(MakeLaw, RefusesTooLittle) {
  Sweep sweep = MadeSweep(kTruth, 0);
  sweep.cells.resize(2);
  EXPECT_THROW(MakeLaw(sweep), Error);
}

}  // namespace
}  // namespace stallscope
