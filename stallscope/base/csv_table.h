#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// A table of comma-separated values with a header, as RFC 4180 has it: quoted cells may hold commas, quotes
/// (doubled) and line breaks. Blank lines are passed over.
class CsvTable {
 public:
  struct Row {
    int line = 0;  ///< where it begins, from 1
    std::vector<std::string> cells;
  };

  /// `source` names the file in complaints. Throws Error with the line where a row is longer or shorter than
  /// the header, a quote is not closed, a column has no name or a name occurs twice.
  static CsvTable Parse(std::string_view text, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  std::optional<std::size_t> ColumnOf(std::string_view name) const;

 private:
  std::string source_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

/// One row, read by the names of columns. Every complaint is an Error that names file, line and column.
class CsvRow {
 public:
  CsvRow(const CsvTable& table, const CsvTable::Row& row) : table_(&table), row_(&row) {}

  int line() const { return row_->line; }
  const std::string& source() const { return table_->source(); }

  /// Empty where the cell is, and where the table has no such column.
  std::string Text(std::string_view column) const;
  /// Throws where the cell is empty.
  std::string RequiredText(std::string_view column) const;
  /// Finite, from `least` on; nothing for an empty cell.
  std::optional<double> Number(std::string_view column, double least = 0) const;
  double RequiredNumber(std::string_view column, double least = 0) const;
  std::optional<int> Integer(std::string_view column, int least = 0) const;
  int RequiredInteger(std::string_view column, int least = 0) const;
  /// "yes" or "no".
  std::optional<bool> Truth(std::string_view column) const;
  /// What stands between semicolons.
  std::vector<std::string> List(std::string_view column) const;

  [[noreturn]] void Fail(std::string_view column, const std::string& complaint) const;

 private:
  const CsvTable* table_;
  const CsvTable::Row* row_;
};

/// The cell in quotes where it needs them.
std::string CsvCell(std::string_view text);

}  // namespace stallscope
