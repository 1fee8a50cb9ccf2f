#pragma once

#include <string_view>

namespace stallscope {

/// A file of the source tree, as it was when the command was built (cmake/embed_files.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< relative, as "stallscope_hook/start.py"
  std::string_view text;
};

}  // namespace stallscope
