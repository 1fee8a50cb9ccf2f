#pragma once

#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"
#include "stallscope/report/tables.h"

namespace stallscope {

/// A finished document of any kind, as the renderers take it.
struct ReportDocument {
  std::string source;   ///< the file, or what the command was
  std::string kind;     ///< "profile", "comparison", "machine", …: the schema's name
  std::string title;    ///< "resnet18 on 2 machines"
  std::string verdict;  ///< what it says, in a sentence or two
  Json json;
  std::vector<ReportTable> tables;
  Json series = Json::object();  ///< what was drawn from steps.csv and samples.csv, where they were there
};

/// Reads and checks a document. Throws Error with one sentence that names the file and the field.
ReportDocument ReadReportDocument(const std::string& text, const std::string& source);

}  // namespace stallscope
