#pragma once

#include <optional>
#include <string>

#include "stallscope/document/prediction.h"

namespace stallscope {

/// The prediction in a file; nothing where what is there is another document, or no document at all. Throws
/// Error where a prediction cannot be read.
std::optional<Prediction> FindPredictionAt(const std::string& file);

}  // namespace stallscope
