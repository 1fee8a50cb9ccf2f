#pragma once

#include <span>

#include "stallscope/base/embedded_file.h"

namespace stallscope {

/// The files of data/.
std::span<const EmbeddedFile> CatalogFiles();

}  // namespace stallscope
