#pragma once

#include <filesystem>
#include <string>

namespace stallscope {

/// Readers see the old file or the whole new one, also after a crash: the text is written to a
/// temporary file in the same folder, flushed to the disk, and renamed. Throws Error, and leaves
/// nothing behind then.
void WriteFileAtomically(const std::filesystem::path& path, const std::string& text);

/// The whole text of a file. Throws Error where it cannot be read.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace stallscope
