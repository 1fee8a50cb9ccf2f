#pragma once

#include <ostream>

#include "stallscope/report/report_document.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// A document of any kind for a terminal: profiles and machine cards as their commands print them, others as
/// their verdict and tables. Long tables are cut, and say so.
void PrintDocument(const ReportDocument& document, const TextStyle& style, std::ostream& out);

}  // namespace stallscope
