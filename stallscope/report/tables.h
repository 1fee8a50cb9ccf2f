#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// What a person reads, and the number behind it.
struct TableCell {
  std::string text;
  std::optional<double> value;
  std::optional<double> low;  ///< of the 95 % interval
  std::optional<double> high;
  std::string unit;   ///< of the number: "s", "share", "B", "B/s", "USD", …; empty: a count, or words
  std::string basis;  ///< "measured", "published", "predicted", …; empty where there is no number
};

/// A table of a document. Markdown, CSV, text and the page all show these: there is one list of what a
/// document says. The first cell of a row names it.
struct ReportTable {
  std::string id;  ///< as "ladder"; one of its kind within a document
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// The tables of a document of any kind, in the order of reading. Kinds without tables of their own get one
/// of all their fields.
std::vector<ReportTable> TablesOf(const Json& document);

std::vector<ReportTable> ProfileTables(const Json& document);
std::vector<ReportTable> ComparisonTables(const Json& document);
std::vector<ReportTable> MachineTables(const Json& document);
std::vector<ReportTable> ValidationTables(const Json& document);
std::vector<ReportTable> PredictionTables(const Json& document);
std::vector<ReportTable> RecommendationTables(const Json& document);
std::vector<ReportTable> SurveyTables(const Json& document);
std::vector<ReportTable> LawTables(const Json& document);

// ---- what the tables are made with

/// The field at "a.b.c", or nothing.
const Json* FieldAt(const Json& object, const std::string& path);

TableCell WordsCell(const std::string& text);

/// A number or an estimate in a unit that somebody else knows; words and nothing as they are.
TableCell AmountCell(const Json* field, const std::string& unit, const std::string& basis);

/// A field by its value: an estimate with its interval, a number in the unit that its name ends with ("_s",
/// "_bytes", "share", "_usd"), words, or nothing at all where it is absent.
TableCell FieldCell(const Json* field, const std::string& name, const std::string& basis);

struct FieldColumn {
  std::string title;
  std::string path;
  std::string basis = "";      ///< where it is not the table's
  std::string unit_from = "";  ///< the field of each row that names the unit; empty: the path's ending does
};

/// In place of a table's basis: every row's own field `basis`.
inline constexpr const char* kOwnBasis = "@own";

/// One row per object of an array; columns that no row has are left out.
ReportTable ArrayTable(std::string id, std::string title, const Json* array,
                       const std::vector<FieldColumn>& columns, const std::string& basis);

/// "name | value" for every number, word and estimate below the given fields of the document.
ReportTable FactsTable(std::string id, std::string title, const Json& document,
                       const std::vector<std::string>& fields, const std::string& basis);

/// Adds the table where it has rows.
void AddTable(std::vector<ReportTable>& tables, ReportTable table);

}  // namespace stallscope
