#include "stallscope/report/report_document.h"

#include "stallscope/document/machine_card.h"
#include "stallscope/document/profile.h"
#include "stallscope/document/schema_check.h"
#include "stallscope/report/document_verdict.h"

namespace stallscope {
namespace {

/// "profile" of "stallscope.profile/1".
std::string KindOf(const std::string& schema) {
  const std::size_t begin = schema.find('.') + 1;
  return schema.substr(begin, schema.find('/') - begin);
}

}  // namespace

ReportDocument ReadReportDocument(const std::string& text, const std::string& source) {
  ReportDocument document{.source = source, .json = ParseDocument(text, source)};
  const std::string schema = document.json.contains("schema") && document.json["schema"].is_string()
                                 ? document.json["schema"].get<std::string>()
                                 : "";
  // The kinds that are read into structs have the better sentences for what is wrong with them.
  if (schema.starts_with("stallscope.profile/")) {
    ProfileFromJson(text, source);
  } else if (schema.starts_with("stallscope.machine/")) {
    MachineCardFromJson(text, source);
  }
  RequireShippedSchema(document.json, source);
  document.kind = KindOf(schema);
  document.title = TitleOf(document.json);
  document.verdict = VerdictOf(document.json, source);
  document.tables = TablesOf(document.json);
  return document;
}

}  // namespace stallscope
