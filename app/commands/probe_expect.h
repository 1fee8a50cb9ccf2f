#pragma once

#include <string>
#include <vector>

#include "app/catalog_options.h"
#include "stallscope/document/quantity.h"

namespace stallscope {

/// What --expect names: the quantities of a card, or of a machine in the catalog. Throws UsageError where it
/// is neither.
std::vector<Quantity> ExpectedOf(const std::string& what, const CatalogFlags& catalog_flags);

}  // namespace stallscope
