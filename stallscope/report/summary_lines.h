#pragma once

#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// What a profile says beside its ladder, a sentence each: the two totals, the loader and the storage alone,
/// the settings that would hide loading, and the comparison with a reference. Only what the document has.
std::vector<std::string> SummaryLines(const Profile& profile, const TextStyle& style);

}  // namespace stallscope
