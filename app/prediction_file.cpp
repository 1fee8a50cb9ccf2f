#include "app/prediction_file.h"

#include <filesystem>

#include "app/machine_file.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {

std::optional<Prediction> FindPredictionAt(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  const std::string text = ReadFile(file);
  if (!IsOfKind(text, "stallscope.prediction/")) return std::nullopt;
  return PredictionFromJson(text, file);
}

}  // namespace stallscope
