#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace stallscope {

/// The last `count` lines of a log, oldest first; empty where it cannot be read. Of a huge log only the
/// last 64 KiB are looked at.
std::vector<std::string> LastLines(const std::filesystem::path& log_file, std::size_t count);

}  // namespace stallscope
