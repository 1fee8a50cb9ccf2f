#pragma once

#include <ostream>
#include <string>

#include "stallscope/document/profile.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// One table for a finished profile: every rung with its step time, the stall that it adds with bar,
/// share and interval, absent rungs with their reason; then the totals and what loading needs, the verdict
/// and the first findings.
void PrintProfile(const Profile& profile, const TextStyle& style, std::ostream& out);

/// "53 % of a step waits for the network (50 to 56 %); waiting for the interconnect is indistinguishable from
/// zero (-1 to 2 %)": the stalls of the steady state, the largest first.
std::string Verdict(const Profile& profile);

}  // namespace stallscope
