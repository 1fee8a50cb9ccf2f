#pragma once

#include <map>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/catalog/tables.h"

namespace stallscope {

/// Names are found in any case.
std::string LowerCase(std::string_view text);

/// What a Catalog holds: the tables with later rows in place of earlier ones, and where each name is.
struct Catalog::Facts {
  explicit Facts(CatalogTables all);

  CatalogTables tables;
  std::map<std::string, std::vector<std::size_t>, std::less<>>
      machines;  ///< by "p3.8xlarge" and "aws/p3.8xlarge"
  std::map<std::string, std::size_t, std::less<>> gpus;
  std::map<std::string, std::size_t, std::less<>> datasets;
  std::map<std::string, std::size_t, std::less<>> sources;
  std::map<std::string, std::size_t, std::less<>> topologies;
  std::map<std::string, std::vector<std::size_t>, std::less<>>
      prices;  ///< by "aws/p3.8xlarge", regions in order
  std::map<std::string, std::string, std::less<>> reference_regions;  ///< by provider
};

}  // namespace stallscope
