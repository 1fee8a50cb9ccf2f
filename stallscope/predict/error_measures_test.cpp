#include "stallscope/predict/error_measures.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

/// Measured 100; the interval is a tenth of the prediction on either side.
ValidatedRow Row(const char* series, double predicted) {
  ValidatedRow row;
  row.series = series;
  row.sync = "allreduce";
  row.measured = 100;
  row.predicted = predicted;
  row.low = 0.9 * predicted;
  row.high = 1.1 * predicted;
  row.error = predicted / 100 - 1;
  return row;
}

bool Any(const ValidatedRow&) {
  return true;
}

TEST(ErrorMeasures, EverySeriesWeighsTheSame) {
  // Series a errs by 30 % in its one row, series b by 10 % in each of three: (30 + 10) / 2.
  const std::vector<ValidatedRow> rows = {Row("a", 130), Row("b", 110), Row("b", 110), Row("b", 90)};
  const ErrorMeasures measures = *MeasureErrors(rows, Any);
  EXPECT_EQ(measures.rows, 4);
  EXPECT_EQ(measures.series, 2);
  EXPECT_NEAR(measures.mape, 0.2, 1e-12);
  // a: +30 %; b: (10 + 10 - 10) / 3.
  EXPECT_NEAR(measures.bias, (0.3 + 0.1 / 3) / 2, 1e-12);
  EXPECT_NEAR(measures.percentile90, 0.3, 1e-12);
  EXPECT_NEAR(measures.median, 0.1, 1e-12);
}

TEST(ErrorMeasures, CoverageCountsRows) {
  // 110 reaches down to 99 and 91 up to 100.1; 130 only down to 117.
  const ErrorMeasures measures = *MeasureErrors({Row("a", 130), Row("b", 110), Row("b", 91)}, Any);
  EXPECT_NEAR(measures.coverage, 2.0 / 3, 1e-12);
  EXPECT_NEAR(measures.half_width, 0.1, 1e-12);
}

TEST(ErrorMeasures, NothingToMeasureIsNothing) {
  ValidatedRow known;
  known.known = true;
  EXPECT_FALSE(MeasureErrors({known}, Any));
  EXPECT_FALSE(MeasureErrors({}, Any));
}

TEST(ErrorMeasures, OtherKindsOfSynchronisationStandApart) {
  Validation validation;
  validation.rows = {Row("a", 110), Row("b", 150), Row("c", 100)};
  validation.rows[1].sync = "parameter-server";
  validation.rows[2].error.reset();
  validation.rows[2].reason = "no rate";
  Summarize(validation);
  EXPECT_NEAR(validation.all_reduce->mape, 0.1, 1e-12);
  ASSERT_EQ(validation.apart.size(), 1U);
  EXPECT_EQ(validation.apart[0].name, "parameter-server");
  EXPECT_NEAR(validation.apart[0].measures.mape, 0.5, 1e-12);
  EXPECT_EQ(validation.unpredicted, 1);
  EXPECT_EQ(validation.worst, (std::vector<std::size_t>{1, 0}));
}

}  // namespace
}  // namespace stallscope
