#include "stallscope/predict/rate_table.h"

#include <algorithm>
#include <regex>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/predict/shipped_file.h"

namespace stallscope {
namespace {

constexpr const char* kFile = "one_gpu_rates.csv";

PublishedRate ReadRate(const CsvRow& row) {
  PublishedRate rate;
  rate.network = row.RequiredText("network");
  rate.image_size = row.Integer("image_size", 1);
  rate.sequence_length = row.Integer("seq_len", 2);
  rate.gpu = row.RequiredText("gpu");
  rate.samples_per_s = row.RequiredNumber("samples_per_s");
  if (rate.samples_per_s <= 0) row.Fail("samples_per_s", "is not above 0");
  rate.source = row.RequiredText("source");
  rate.where = row.Text("where");
  rate.workload.batch = row.RequiredInteger("batch", 1);
  rate.workload.source = SourceGroup(rate.source);
  rate.workload.stack =
      ParseStack(row.Text("framework"), row.Text("remarks"), rate.where, row.Integer("year", 2000));
  try {
    rate.workload.dtype = ParseDtype(row.RequiredText("precision"));
  } catch (const UsageError& error) {
    row.Fail("precision", error.what());
  }
  return rate;
}

}  // namespace

std::string SourceGroup(std::string_view source) {
  static const std::regex version("_v\\d+$");
  return std::regex_replace(std::string(source), version, "");
}

RateTable RateTable::Shipped() {
  return Parse(std::string(ShippedFile(kFile)), kFile);
}

RateTable RateTable::Parse(const std::string& csv, const std::string& name) {
  const CsvTable table = CsvTable::Parse(csv, name);
  std::vector<PublishedRate> rates;
  for (const CsvTable::Row& row : table.rows()) rates.push_back(ReadRate({table, row}));
  return RateTable(std::move(rates));
}

RateTable RateTable::WithoutSource(std::string_view group) const {
  std::vector<PublishedRate> others;
  std::copy_if(rates_.begin(), rates_.end(), std::back_inserter(others),
               [&](const PublishedRate& rate) { return rate.workload.source != group; });
  return RateTable(std::move(others));
}

std::vector<std::string> RateTable::Sources() const {
  std::vector<std::string> groups;
  for (const PublishedRate& rate : rates_) {
    const std::string& group = rate.workload.source;
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

}  // namespace stallscope
