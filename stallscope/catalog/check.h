#pragma once

#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"

namespace stallscope {

/// Something in a file that is wrong, or that one should know.
struct CatalogProblem {
  bool is_error = true;  ///< else a remark: the catalog works, but knows less than it could
  std::string what;      ///< names file and line
};

struct CatalogCheck {
  std::vector<CatalogProblem> problems;
  std::size_t files = 0;
  std::size_t rows = 0;
};

/// Reads everything that the options name and looks for bad rows, values out of range, names that lead
/// nowhere (GPUs, topologies, machines of prices, sources), rows without a source and graphs that do not hold
/// together. Never throws for what is inside of files.
CatalogCheck CheckCatalog(const CatalogOptions& options);

}  // namespace stallscope
