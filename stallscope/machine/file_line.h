#pragma once

#include <string>

#include "stallscope/base/root.h"

namespace stallscope {

/// The text without white space at its ends.
std::string Trimmed(const std::string& text);

/// The first line of a file, trimmed; empty where it cannot be read.
std::string FirstLine(const Root& root, const std::string& path);

}  // namespace stallscope
