#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallscope/catalog/catalog.h"
#include "stallscope/predict/rate_points.h"

namespace stallscope {

struct ResolvedGpu {
  const Gpu* gpu = nullptr;
  /// The name leaves open which board it was: "V100" may have 16 or 32 GB, "Pascal" may be several chips.
  bool assumed = false;
};

/// A GPU by the catalog's name, or by one that tables and people use: "V100", "RTX 3090", "Tesla K80",
/// "Pascal". Nothing where none is meant.
std::optional<ResolvedGpu> ResolveGpu(const Catalog& catalog, std::string_view name);

/// The same for a name that a user typed. Throws UsageError with the nearest names and chips.
const Gpu& GpuNamed(const Catalog& catalog, std::string_view name);

/// Speeds by the catalog's names, for rate tables. Throws UsageError for a GPU that is not there.
GpuLookup SpeedsOf(const Catalog& catalog);

}  // namespace stallscope
