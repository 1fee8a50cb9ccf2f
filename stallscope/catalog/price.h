#pragma once

#include <optional>
#include <string>

#include "stallscope/catalog/provenance.h"

namespace stallscope {

/// List prices of one machine in one region, in USD per hour.
struct Price {
  std::string provider;
  std::string machine;
  std::string region;
  std::optional<double> on_demand_usd_hour;
  std::optional<double> spot_usd_hour;  ///< the lowest over the zones that day
  std::string date;                     ///< "2026-08-22", of the list
  bool date_is_latest = false;          ///< the prices are from that day or earlier
  Provenance provenance;
};

}  // namespace stallscope
