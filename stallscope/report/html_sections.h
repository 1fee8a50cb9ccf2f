#pragma once

#include <string>

#include "stallscope/document/profile.h"

namespace stallscope {

// The sections of the page, as HTML without their headings. Each is empty where the document has nothing
// for it, and only draws: no number is computed here that the document does not hold.

/// The stalls of the first epoch and of the steady state as stacked bars; of the highest rung without data.
std::string StallsSection(const Profile& profile);
/// Every rung with its step time and what the step up to it costs; absent ones with their reasons.
std::string LadderSection(const Profile& profile);
/// What a step of every rung is made of.
std::string PartsSection(const Profile& profile);
/// The gradient buckets of the highest of cluster and node.
std::string BucketsSection(const Profile& profile);
std::string LoadingSection(const Profile& profile);
std::string ResourcesSection(const Profile& profile);
std::string ReferenceSection(const Profile& profile);
std::string FindingsSection(const Profile& profile);
std::string WorkloadSection(const Profile& profile);
std::string ProvenanceSection(const Profile& profile);

/// "indistinguishable from zero", "negative: …", or nothing, as a small remark.
std::string DoubtAbout(const Stall& stall);

/// A table that scrolls by itself where the screen is narrow, also by the keyboard. `rows` is HTML.
std::string ScrollingTable(const std::string& label, const std::string& rows);

}  // namespace stallscope
