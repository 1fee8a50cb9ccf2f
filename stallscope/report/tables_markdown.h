#pragma once

#include <ostream>
#include <vector>

#include "stallscope/report/report_document.h"

namespace stallscope {

/// Every table of every document as Markdown. Names in documents stay text: what Markdown or HTML would take
/// for markup is escaped.
void WriteMarkdown(const std::vector<ReportDocument>& documents, std::ostream& out);

}  // namespace stallscope
