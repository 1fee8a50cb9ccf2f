#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/ladder/findings.h"

namespace stallscope {

// The groups of findings, each in a file of its own; they add in no particular order.
void AddCommunicationFindings(const Profile& profile, std::vector<Finding>& findings);
void AddPrepFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings);
void AddFetchFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings);
void AddLimitFindings(const Profile& profile, std::vector<Finding>& findings);
void AddTrustFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings);

/// Below this share of a step a stall is not worth anybody's afternoon.
inline constexpr double kWorthAttention = 0.05;
/// From here on a stall decides how fast training is.
inline constexpr double kDecisive = 0.15;

/// A stall that is surely there, and large enough to act on.
bool Matters(const std::optional<Stall>& stall);

/// Of a stall that matters.
Severity SeverityOf(const Stall& stall);

/// The stalls of most of a training run: those of the steady state where it is known, so that what only
/// the first epoch waits for does not come first.
const Stalls& LastingStalls(const Profile& profile);

/// The rung's results; nothing where it was not measured.
const ConditionInfo* RungOf(const Profile& profile, const std::string& condition);

/// "image", or "sequence" of a data set of tokens.
std::string SampleNoun(const Profile& profile);

/// Of one device in one step.
double SamplesPerStep(const Profile& profile);

/// "26 %".
std::string Percent(double share);

/// "1 worker", "2 workers".
std::string Count(std::int64_t number, const std::string& thing);

}  // namespace stallscope
