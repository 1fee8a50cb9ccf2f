#include "stallscope/report/tables_csv.h"

#include <fmt/format.h>

namespace stallscope {
namespace {

/// As RFC 4180 has it.
std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string NumberText(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

}  // namespace

void WriteTablesCsv(const std::vector<ReportDocument>& documents, std::ostream& out) {
  out << "document,kind,table,row,item,column,value,low,high,unit,basis\n";
  for (const ReportDocument& document : documents) {
    for (const ReportTable& table : document.tables) {
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const std::vector<TableCell>& row = table.rows[i];
        for (std::size_t column = 1; column < row.size(); ++column) {
          const TableCell& cell = row[column];
          if (cell.text.empty()) continue;
          out << fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", Quoted(document.source), document.kind,
                             table.id, i + 1, Quoted(row.front().text), Quoted(table.columns[column]),
                             cell.value ? NumberText(cell.value) : Quoted(cell.text), NumberText(cell.low),
                             NumberText(cell.high), cell.unit, cell.basis);
        }
      }
    }
  }
}

}  // namespace stallscope
