#pragma once

#include <ostream>
#include <vector>

#include "stallscope/report/report_document.h"

namespace stallscope {

/// Every cell of every table on a line of its own:
/// document,kind,table,row,item,column,value,low,high,unit,basis. One file for all tables, which spreadsheets
/// and data frames can filter; numbers are the document's own, not rounded.
void WriteTablesCsv(const std::vector<ReportDocument>& documents, std::ostream& out);

}  // namespace stallscope
