#pragma once

#include <span>
#include <string_view>

#include "stallscope/base/embedded_file.h"

namespace stallscope {

/// The files of data/predict/.
std::span<const EmbeddedFile> PredictFiles();

/// The text of data/predict/`name` as it was when the program was built.
std::string_view ShippedFile(std::string_view name);

}  // namespace stallscope
