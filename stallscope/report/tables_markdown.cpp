#include "stallscope/report/tables_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stallscope {
namespace {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      escaped += ' ';
    } else {
      if (std::string_view("\\`*_[]|#~!").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

/// A basis that all numbers of a column share, for its head.
std::string BasisOfColumn(const ReportTable& table, std::size_t column) {
  std::string basis;
  for (const auto& row : table.rows) {
    if (column >= row.size() || !row[column].value) continue;
    if (!basis.empty() && basis != row[column].basis) return "";
    basis = row[column].basis;
  }
  return basis;
}

void WriteTable(const ReportTable& table, std::ostream& out) {
  out << fmt::format("\n## {}\n\n|", Escaped(table.title));
  std::string rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string basis = BasisOfColumn(table, i);
    out << fmt::format(" {}{} |", Escaped(table.columns[i]), basis.empty() ? "" : " (" + basis + ")");
    const bool numbers = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const auto& row) { return i < row.size() && row[i].value; });
    rule += numbers ? "---:|" : "---|";
  }
  out << '\n' << rule << '\n';
  for (const auto& row : table.rows) {
    out << '|';
    for (const TableCell& cell : row) out << ' ' << Escaped(cell.text) << " |";
    out << '\n';
  }
}

}  // namespace

void WriteMarkdown(const std::vector<ReportDocument>& documents, std::ostream& out) {
  for (const ReportDocument& document : documents) {
    if (&document != &documents.front()) out << '\n';
    out << fmt::format("# {}\n\nstallscope {}, {}\n", Escaped(document.title), Escaped(document.kind),
                       Escaped(document.source));
    if (!document.verdict.empty()) out << fmt::format("\n**{}**\n", Escaped(document.verdict));
    for (const ReportTable& table : document.tables) WriteTable(table, out);
  }
}

}  // namespace stallscope
