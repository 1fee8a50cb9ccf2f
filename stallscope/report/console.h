#pragma once

#include <ostream>
#include <string>

#include "stallscope/document/profile.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// One table for a finished profile: every rung with its step time, the stall that it adds with bar,
/// share and interval, absent rungs with their reason, then the verdict and the first findings.
void PrintProfile(const Profile& profile, const TextStyle& style, std::ostream& out);

/// "26 % of a step waits for the interconnect (20 to 32 %); the network is indistinguishable from zero."
std::string Verdict(const Profile& profile);

}  // namespace stallscope
