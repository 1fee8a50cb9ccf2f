#pragma once

#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/document/quantity.h"

namespace stallscope {

/// Published curves of more machines than these are for no single health check.
inline constexpr int kMostExpectedNodes = 32;

/// What a healthy machine of that kind has, by the names that `probe` uses, each with its basis and source.
/// What is not known is not in the list.
std::vector<Quantity> ExpectedQuantities(const Catalog& catalog, const Machine& machine);

}  // namespace stallscope
