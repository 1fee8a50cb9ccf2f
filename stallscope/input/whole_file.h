#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace stallscope {

/// Writes a new file that appears under its name only when it is whole. It has no name until then, so that
/// not even a killed process leaves a part of one. Not flushed to the disk: these files can be made again.
/// Throws Error.
void WriteWholeFile(const std::string& path, std::span<const std::uint8_t> bytes);

}  // namespace stallscope
