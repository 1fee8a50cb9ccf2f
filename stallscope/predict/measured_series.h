#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/predict/measurement_table.h"
#include "stallscope/predict/scaling_model.h"

namespace stallscope {

/// A row of a table as the model sees it.
struct MeasuredCase {
  Measurement row;
  int gpus_per_node = 1;
  int nodes = 1;
  double batch = 0;          ///< per GPU
  const Gpu* gpu = nullptr;  ///< of the table's catalog; null where that has none
  Seconds step{};            ///< batch x GPUs / rate
  ScalingCase scaling;
  std::vector<std::string> assumed;   ///< which columns a default filled
  std::optional<std::string> reason;  ///< why the row cannot be predicted, or predicted from
};

/// Rows that differ in scale alone, as the file has them.
struct MeasuredSeries {
  std::string name;
  std::string source;  ///< its SourceGroup
  std::vector<MeasuredCase> cases;
  std::optional<std::size_t> known;  ///< the usable case with the fewest GPUs
};

/// What stands for a blank column.
struct MeasurementDefaults {
  std::string stack;  ///< --stack: in place of the `framework` column; empty: as the column says
};

/// A table of measurements, ready to predict. Owns the networks' buckets that its cases point to.
class MeasuredTable {
 public:
  MeasuredTable(const std::vector<Measurement>& rows, const Catalog& catalog,
                const MeasurementDefaults& defaults);
  MeasuredTable(const MeasuredTable&) = delete;
  MeasuredTable& operator=(const MeasuredTable&) = delete;

  const std::vector<MeasuredSeries>& series() const { return series_; }
  const Catalog& catalog() const { return catalog_; }
  const MeasurementDefaults& defaults() const { return defaults_; }

 private:
  struct NetworkFacts {
    SampleKind kind = SampleKind::kImage;
    std::vector<cost::GradientBucket> buckets;
  };

  MeasuredCase CaseOf(const Measurement& row, int most_gpus_per_node);
  void FillWorkload(MeasuredCase& measured);
  const NetworkFacts& FactsOf(const Measurement& row, double gradient_bytes, bool fused);

  Catalog catalog_;
  MeasurementDefaults defaults_;
  std::map<std::string, NetworkFacts> networks_;  ///< elements stay where they are
  std::vector<MeasuredSeries> series_;
};

}  // namespace stallscope
