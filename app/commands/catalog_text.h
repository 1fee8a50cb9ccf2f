#pragma once

#include <optional>
#include <string>

#include "stallscope/catalog/catalog.h"

namespace stallscope {

/// "3.06", "0.3978"; "-" where there is none.
std::string MoneyText(const std::optional<double>& usd);
/// "2 nodes x 8 GPUs, efa: 77.8 GB/s [75.2, 85.1], latency 228 us, 54 points".
std::string CurveText(const AllReduceCurve& curve);
/// The sources of a row, one line each, and which columns nobody looked up.
std::string ProvenanceText(const Provenance& from, const Catalog& catalog);

}  // namespace stallscope
