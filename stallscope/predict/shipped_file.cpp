#include "stallscope/predict/shipped_file.h"

#include <fmt/format.h>

#include <stdexcept>

namespace stallscope {

std::string_view ShippedFile(std::string_view name) {
  for (const EmbeddedFile& file : PredictFiles()) {
    if (file.name == name) return file.text;
  }
  throw std::logic_error(fmt::format("data/predict/{} was not built in", name));
}

}  // namespace stallscope
