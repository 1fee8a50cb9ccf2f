#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/predict/workload.h"

namespace stallscope {

/// A training rate on one GPU that somebody published.
struct PublishedRate {
  std::string network;            ///< as in the zoo
  std::optional<int> image_size;  ///< the zoo's where absent
  std::optional<int> sequence_length;
  std::string gpu;    ///< as in the catalog
  Workload workload;  ///< its source is the group of `source`
  double samples_per_s = 0;
  std::string source;
  std::string where;

  double Seconds() const { return workload.batch / samples_per_s; }
};

/// Tables of one publisher count as one source: "lambda_v0" to "lambda_v2" are "lambda".
std::string SourceGroup(std::string_view source);

class RateTable {
 public:
  RateTable() = default;
  explicit RateTable(std::vector<PublishedRate> rates) : rates_(std::move(rates)) {}
  /// What ships with the program: data/predict/one_gpu_rates.csv.
  static RateTable Shipped();
  /// A table in the format of data/predict/one_gpu_rates.csv; `name` stands in errors.
  static RateTable Parse(const std::string& csv, const std::string& name);

  /// The rates of all other sources: a prediction that is compared with a source must not know it.
  RateTable WithoutSource(std::string_view group) const;
  void Add(PublishedRate rate) { rates_.push_back(std::move(rate)); }

  const std::vector<PublishedRate>& rates() const { return rates_; }
  /// The groups, each once, in order of appearance.
  std::vector<std::string> Sources() const;

 private:
  std::vector<PublishedRate> rates_;
};

}  // namespace stallscope
