#pragma once

#include <ostream>

#include "stallscope/document/profile.h"

namespace stallscope {

/// A profile as one self-contained page: it runs no script and loads nothing, so it can be mailed, archived
/// and opened without a network (docs/formats.md).
void WriteHtml(const Profile& profile, std::ostream& out);

}  // namespace stallscope
