#pragma once

#include <string>
#include <vector>

namespace stallscope {

/// Where facts were read, as one row of data/sources.csv.
struct Source {
  std::string name;   ///< what rows refer to it by
  std::string where;  ///< a repository with its commit, a page, a measurement
  std::string date;   ///< of the source, "2023-06"; empty where it has none
};

/// Where one row of the catalog comes from.
struct Provenance {
  std::string file;  ///< as "data/machines.csv"
  int line = 0;
  std::vector<std::string> sources;     ///< names of Source
  std::vector<std::string> unverified;  ///< columns whose values nobody looked up: inferred, or from memory
  std::string note;
};

}  // namespace stallscope
