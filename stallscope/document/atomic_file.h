#pragma once

#include <filesystem>
#include <string>

namespace stallscope {

/// Readers see the old file or the whole new one, also after a crash: the text is written to a
/// temporary file in the same folder, flushed to the disk, and renamed. Throws Error, and leaves
/// nothing behind then.
void WriteFileAtomically(const std::filesystem::path& path, const std::string& text);

/// link(2), or what stands in for it in a test.
using LinkFunction = int (*)(const char* existing, const char* name);
int LinkFile(const char* existing, const char* name);

/// The same for a name that must be new: false, and nothing changed, where it exists already, also where
/// another machine takes it at the same moment over NFS. Where the file system has no links, the name is
/// looked for and then renamed to. The temporary file's name begins with a dot. Throws Error.
bool WriteNewFileAtomically(const std::filesystem::path& path, const std::string& text,
                            LinkFunction link = LinkFile);

/// The whole text of a file. Throws Error where it cannot be read.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace stallscope
