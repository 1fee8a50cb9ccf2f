#include "stallscope/report/page.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "stallscope/base/error.h"
#include "stallscope/report/page_files.h"

namespace stallscope {
namespace {

Json CellJson(const TableCell& cell) {
  Json json = {{"t", cell.text}};
  if (cell.value) json["v"] = *cell.value;
  if (cell.low) json["l"] = *cell.low;
  if (cell.high) json["h"] = *cell.high;
  if (!cell.unit.empty()) json["u"] = cell.unit;
  if (!cell.basis.empty()) json["b"] = cell.basis;
  return json;
}

Json TableJson(const ReportTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const TableCell& cell : row) cells.push_back(CellJson(cell));
    rows.push_back(std::move(cells));
  }
  return {{"id", table.id}, {"title", table.title}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Json DocumentJson(const ReportDocument& document) {
  Json tables = Json::array();
  for (const ReportTable& table : document.tables) tables.push_back(TableJson(table));
  return {{"source", document.source},   {"kind", document.kind},     {"title", document.title},
          {"verdict", document.verdict}, {"document", document.json}, {"tables", std::move(tables)},
          {"series", document.series}};
}

/// Text within markup.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'') {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      escaped += "\uFFFD";  // HTML forbids them
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// JSON within a script element: no "<" can end the element, or begin a comment in it.
std::string WithinScript(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string PageTitle(const std::vector<ReportDocument>& documents) {
  const ReportDocument& first = documents.front();
  if (documents.size() == 1) return fmt::format("{}: stallscope {}", first.title, first.kind);
  return fmt::format("{} and {} more: stallscope", first.title, documents.size() - 1);
}

/// For those whose reader runs no script: what the documents say, in words.
std::string Fallback(const std::vector<ReportDocument>& documents) {
  std::string html;
  for (const ReportDocument& document : documents) {
    html += fmt::format("<h1>{}</h1><p>{}</p>", Escaped(document.title), Escaped(document.verdict));
  }
  return html + "<p>The tables and pictures of this page need JavaScript. It loads nothing.</p>";
}

std::string_view Template() {
  for (const EmbeddedFile& file : PageFiles()) {
    if (file.name == "page.html") return file.text;
  }
  throw Error("this build of stallscope has no page", "build it anew (CONTRIBUTING.md)");
}

}  // namespace

void WritePage(const std::vector<ReportDocument>& documents, std::ostream& out) {
  Json payload = {{"version", STALLSCOPE_VERSION}, {"documents", Json::array()}};
  for (const ReportDocument& document : documents) payload["documents"].push_back(DocumentJson(document));
  std::string_view rest = Template();
  const auto fill = [&](std::string_view mark, const std::string& text) {
    const std::size_t at = rest.find(mark);
    if (at == std::string_view::npos) {
      throw Error(fmt::format("the page's template lacks {}", mark), "build it anew (CONTRIBUTING.md)");
    }
    out << rest.substr(0, at) << text;
    rest.remove_prefix(at + mark.size());
  };
  // In the order in which web/build.mjs writes them.
  fill("@TITLE@", Escaped(PageTitle(documents)));
  fill("@FALLBACK@", Fallback(documents));
  fill("@DATA@", WithinScript(payload));
  out << rest;
}

}  // namespace stallscope
