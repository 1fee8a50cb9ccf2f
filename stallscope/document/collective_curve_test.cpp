#include "stallscope/document/collective_curve.h"

#include <gtest/gtest.h>

#include <functional>

#include "stallscope/base/error.h"
#include "stallscope/document/collective_quantities.h"

namespace stallscope {
namespace {

/// Every field that there can be.
CollectiveCurve Full() {
  const Estimate estimate{2, 1, 3};
  CollectiveCurve curve;
  curve.where = "cluster";
  curve.ranks = 4;
  curve.nodes = 2;
  curve.rounds = 8;
  curve.points = {
      {.bytes = 4, .time_s = estimate, .algorithm_bytes_per_s = 2, .bus_bytes_per_s = 3, .repeats = 300}};
  curve.absent = {{.bytes = 16, .reason = "too long"}};
  curve.fit = LinkFit{.latency_s = estimate,
                      .bytes_per_s = estimate,
                      .trips_per_step = 2,
                      .segments = {{.from_bytes = 4, .to_bytes = 16, .latency_s = estimate},
                                   {.from_bytes = 16, .latency_s = estimate, .bytes_per_s = estimate}},
                      .median_error = 0.01,
                      .worst_error = 0.1};
  curve.point_to_point =
      PointToPoint{.from_rank = 0, .to_rank = 2, .latency_s = estimate, .bytes_per_s = estimate};
  return curve;
}

CollectiveCurve Read(const Json& json) {
  return CollectiveCurveFromJson(JsonFields(json, "card.json", "collectives[0]"));
}

TEST(CollectiveCurve, WhatIsWrittenIsReadAgain) {
  const Json written = ToJson(Full());
  EXPECT_EQ(ToJson(Read(written)), written);
  EXPECT_EQ(written["fit"]["latency_s"]["mean"], 2);
  EXPECT_EQ(written["fit"]["bytes_per_s"]["high"], 3);
  EXPECT_FALSE(written["fit"]["segments"][0].contains("bytes_per_s"));
  EXPECT_FALSE(written["fit"]["segments"][1].contains("to_bytes"));
}

TEST(CollectiveCurve, WithoutAFitThereIsAReason) {
  CollectiveCurve bare = Full();
  bare.fit.reset();
  bare.no_fit = "3 sizes were measured, and a fit needs 5";
  bare.point_to_point.reset();
  const Json written = ToJson(bare);
  EXPECT_FALSE(written.contains("fit"));
  EXPECT_EQ(Read(written).no_fit, bare.no_fit);
}

TEST(CollectiveCurve, ComplaintsNameTheField) {
  const auto complaint = [](const std::function<void(Json&)>& change) {
    Json json = ToJson(Full());
    change(json);
    try {
      Read(json);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint([](Json& json) { json["points"][0].erase("time_s"); }),
            "card.json: field 'collectives[0].points[0].time_s' is missing");
  EXPECT_EQ(complaint([](Json& json) { json["where"] = "moon"; }),
            "card.json: field 'collectives[0].where' is neither 'machine' nor 'cluster'");
  EXPECT_EQ(complaint([](Json& json) { json["ranks"] = 1; }),
            "card.json: field 'collectives[0].ranks' is below 2");
  EXPECT_EQ(complaint([](Json& json) { json["fit"]["segments"] = Json::array(); }),
            "card.json: field 'collectives[0].fit.segments' is empty");
}

TEST(CollectiveQuantities, NameTheLayoutAndCarryTheIntervals) {
  // Four ranks on two machines. Six bytes moved in 2 s (1 to 3) are 3 B/s (2 to 6).
  const std::vector<Quantity> quantities = QuantitiesOf(Full());
  ASSERT_EQ(quantities.size(), 4u);
  EXPECT_EQ(quantities[0].name, "allreduce.gloo.2x2.bus_bandwidth");
  EXPECT_DOUBLE_EQ(quantities[0].value.mean, 3);
  EXPECT_DOUBLE_EQ(quantities[0].value.low, 2);
  EXPECT_DOUBLE_EQ(quantities[0].value.high, 6);
  EXPECT_TRUE(quantities[0].higher_is_better);
  EXPECT_EQ(quantities[1].name, "allreduce.gloo.2x2.latency");
  EXPECT_FALSE(quantities[1].higher_is_better);
  EXPECT_EQ(quantities[2].name, "link.gloo.2x2.bandwidth");
  EXPECT_EQ(quantities[3].name, "link.gloo.2x2.latency");
  CollectiveCurve bare = Full();
  bare.fit->bytes_per_s.reset();
  EXPECT_EQ(QuantitiesOf(bare).size(), 3u);
}

TEST(FittedTime, IsTheRingsFormulaOnTheSegmentOfTheSize) {
  LinkFit fit;
  fit.trips_per_step = 2;
  fit.segments = {
      {.from_bytes = 16, .to_bytes = 1024, .latency_s = {1e-3, 1e-3, 1e-3}},
      {.from_bytes = 1024, .latency_s = {2e-3, 2e-3, 2e-3}, .bytes_per_s = Estimate{1e6, 1e6, 1e6}}};
  // Three ranks: 4 steps of two messages of 1 ms; the first segment knows no bandwidth.
  EXPECT_DOUBLE_EQ(FittedTime(fit, 3, 512).value(), 8e-3);
  // 4 x 2 x 2 ms, and 4/3 of 3 MB at 1 MB/s.
  EXPECT_DOUBLE_EQ(FittedTime(fit, 3, 3e6).value(), 16e-3 + 4.0);
  EXPECT_FALSE(FittedTime(fit, 3, 8));
}

}  // namespace
}  // namespace stallscope
