#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stallscope/base/units.h"
#include "stallscope/catalog/provenance.h"

namespace stallscope {

/// A public data set's training part by name, for `--dataset imagenet`.
struct DatasetPreset {
  std::string name;
  std::string kind;  ///< "images", "tokens", "text", "audio"
  std::int64_t samples = 0;
  Bytes bytes;
  Bytes sample_bytes;  ///< mean
  std::optional<int> classes;
  std::optional<std::int64_t> tokens;
  Provenance provenance;
};

}  // namespace stallscope
