#pragma once

#include <string>

#include "app/output.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// Throws UsageError where --html names a folder, a file that exists (without `force`), or standard output
/// that --json writes to already. Empty: no page is wanted.
void CheckPageFile(const std::string& html, bool force, const OutputOptions& output);

/// Writes the page; "-" is standard output.
void WritePage(const std::string& html, const Profile& profile);

}  // namespace stallscope
