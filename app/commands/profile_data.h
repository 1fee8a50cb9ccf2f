#pragma once

#include <optional>

#include "app/commands/profile_options.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// What can be said of --data before anything starts: opens it, counts samples and bytes, and checks that the
/// network can train on it. Nothing without --data. Throws UsageError.
std::optional<DatasetInfo> LookAtData(const ProfileOptions& options);

}  // namespace stallscope
