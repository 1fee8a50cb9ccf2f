#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "stallscope/ladder/measure.h"

namespace stallscope {

/// Opens a table of the out folder. Throws Error where it cannot be written.
std::ofstream OpenCsv(const std::filesystem::path& path);

/// The column `round`: warm-up blocks belong to none, and theirs is empty.
std::string RoundText(const MeasuredBlock& block);

}  // namespace stallscope
