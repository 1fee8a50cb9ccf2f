#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/base/csv_table.h"
#include "stallscope/catalog/catalog.h"

namespace stallscope {

/// Why rows of a price table were left out, and how many.
struct SkippedPrices {
  std::string reason;
  std::size_t rows = 0;
  std::vector<std::string> examples;  ///< a few machines, "runpod/1x_A100"
};

struct PriceImport {
  std::vector<Price> prices;
  std::size_t rows = 0;  ///< that the table has
  std::vector<SkippedPrices> skipped;
  std::vector<std::string> bad;  ///< complaints that name line and column
};

/// Reads a table of prices in all regions: provider, region, instance, ondemand, spot, source, price_date
/// (other columns are passed over), or one of the catalog's own. Rows of machines that the catalog does not
/// know, and those without any price, are counted and left out. Throws Error where the table is neither.
PriceImport ImportPrices(std::string_view text, const std::string& source, const Catalog& catalog);

/// A price in USD; nothing where the cell is empty. Throws Error where it is 0: as the least it would win.
std::optional<double> PriceIn(const CsvRow& row, const char* column);

/// The prices as a table of the catalog.
std::string PriceTable(const std::vector<Price>& prices);

}  // namespace stallscope
