#pragma once

#include <string>
#include <vector>

#include "stallscope/document/comparison.h"
#include "stallscope/document/profile.h"

namespace stallscope {

/// Every profile against the first, as separate measurements (docs/metrics.md). `names` are the files, in
/// the same order, for the sentences. Fills in `baseline` and `others`; the rest is the caller's. There must
/// be two profiles or more: else UsageError.
Comparison Compare(const std::vector<Profile>& profiles, const std::vector<std::string>& names);

/// What else differs between the two than their times, a sentence each: a difference of the workload or of
/// the devices explains itself, and is no merit of a machine.
std::vector<std::string> WorkloadDifferences(const Profile& baseline, const std::string& baseline_name,
                                             const Profile& other, const std::string& other_name);

}  // namespace stallscope
