#pragma once

#include <string>
#include <string_view>

#include "stallscope/catalog/price_import.h"

namespace stallscope {

/// What SkyPilot's tables do not say of themselves.
struct SkypilotTable {
  std::string provider;  ///< "aws"
  std::string date;      ///< "2026-08-22", or "<=2026-08-22" where the prices may be older
};

/// Reads a price table of SkyPilot's catalog (vms.csv: InstanceType, AcceleratorName, AcceleratorCount,
/// Price, SpotPrice, Region, a row for every zone). Of a region's zones the lowest price is taken. Where GPUs
/// are rented apart from the machine, as at gcp, both are added up. Throws Error where the table is none.
PriceImport ImportSkypilotPrices(std::string_view text, const std::string& source, const SkypilotTable& table,
                                 const Catalog& catalog);

}  // namespace stallscope
