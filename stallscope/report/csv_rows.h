#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// Reads a table that a run wrote, row by row, from a mapped file: a long run's steps.csv is larger than what
/// should be held in memory. Cells are split at commas: these tables quote nothing.
class CsvRows {
 public:
  /// `columns` are looked up in the first line, and cells are then asked for by their place in this list.
  /// Throws Error where the file cannot be read, or lacks a column.
  CsvRows(const std::filesystem::path& file, const std::vector<std::string>& columns);
  ~CsvRows();
  CsvRows(const CsvRows&) = delete;
  CsvRows& operator=(const CsvRows&) = delete;

  /// False at the end. A last line without an end was cut off by a crash, and is passed over.
  bool Next();

  std::string_view Text(std::size_t column) const { return cells_[places_[column]]; }
  /// Throws Error with the line where it is no number.
  double Number(std::size_t column) const;
  int Integer(std::size_t column) const;
  std::optional<double> OptionalNumber(std::size_t column) const;

 private:
  [[noreturn]] void Fail(std::size_t column) const;

  std::string file_;
  std::string_view all_;
  std::string_view rest_;
  std::vector<std::string> columns_;
  std::vector<std::size_t> places_;
  std::vector<std::string_view> cells_;
  std::size_t line_ = 1;
};

}  // namespace stallscope
