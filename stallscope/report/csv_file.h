#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "stallscope/ladder/measure.h"

namespace stallscope {

/// Opens a table of the out folder and writes its first line; `append` goes on with one that is there. Throws
/// Error where it cannot be written.
std::ofstream OpenCsv(const std::filesystem::path& path, bool append, void (*write_header)(std::ostream&));

/// The column `round`: warm-up blocks belong to none, and theirs is empty.
std::string RoundText(const MeasuredBlock& block);

}  // namespace stallscope
