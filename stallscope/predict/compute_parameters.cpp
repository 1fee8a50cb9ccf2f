#include "stallscope/predict/compute_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/predict/shipped_file.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr const char* kFile = "compute_parameters.csv";
constexpr std::array<const char*, kSpreads> kSpreadNames = {
    "spread_stack",        "spread_framework", "spread_network", "spread_chip",
    "spread_architecture", "spread_source",    "spread_noise",
};

}  // namespace

const char* SpreadName(ResidualSpread spread) {
  return kSpreadNames[static_cast<std::size_t>(spread)];
}

ComputeParameters ComputeParameters::Shipped() {
  return Parse(std::string(ShippedFile(kFile)), kFile);
}

ComputeParameters ComputeParameters::Parse(const std::string& csv, const std::string& name) {
  const CsvTable table = CsvTable::Parse(csv, name);
  ComputeParameters parameters;
  std::set<std::string> missing(kSpreadNames.begin(), kSpreadNames.end());
  for (std::size_t i = 0; i < kRooflineTerms; ++i)
    missing.insert(RooflineTermName(static_cast<RooflineTerm>(i)));
  for (const CsvTable::Row& cells : table.rows()) {
    const CsvRow row(table, cells);
    const std::string parameter = row.RequiredText("parameter");
    const double value = row.RequiredNumber("value");
    if (value <= 0) row.Fail("value", "is not above 0");
    if (missing.erase(parameter) == 0) row.Fail("parameter", "is unknown, or there twice");
    for (std::size_t i = 0; i < kRooflineTerms; ++i) {
      if (parameter != RooflineTermName(static_cast<RooflineTerm>(i))) continue;
      parameters.logs[i] = std::log(value);
      parameters.log_errors[i] = std::log(row.RequiredNumber("high") / value) / kNormal95;
    }
    for (std::size_t i = 0; i < kSpreads; ++i) {
      if (parameter == kSpreadNames[i]) parameters.spreads[i] = value;
    }
  }
  if (!missing.empty()) {
    throw Error(fmt::format("{} does not give '{}'", name, *missing.begin()),
                "take the file of the source tree");
  }
  return parameters;
}

std::string ComputeParameters::ToCsv() const {
  std::string csv = "parameter,value,low,high\n";
  for (std::size_t i = 0; i < kRooflineTerms; ++i) {
    csv += fmt::format("{},{:.6g},{:.6g},{:.6g}\n", RooflineTermName(static_cast<RooflineTerm>(i)),
                       std::exp(logs[i]), std::exp(logs[i] - kNormal95 * log_errors[i]),
                       std::exp(logs[i] + kNormal95 * log_errors[i]));
  }
  for (std::size_t i = 0; i < kSpreads; ++i) csv += fmt::format("{},{:.6g},,\n", kSpreadNames[i], spreads[i]);
  return csv;
}

}  // namespace stallscope
