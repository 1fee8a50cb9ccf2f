#pragma once

#include <ostream>
#include <vector>

#include "stallscope/report/report_document.h"

namespace stallscope {

/// Documents as one self-contained page (web/): it loads nothing, and runs only the script that it was built
/// with, so it can be mailed, archived and opened without a network (docs/formats.md).
void WritePage(const std::vector<ReportDocument>& documents, std::ostream& out);

}  // namespace stallscope
