#include "stallscope/base/csv_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/base/shortened.h"

namespace stallscope {
namespace {

/// Cuts text into rows of cells; counts lines also inside of quotes.
class Cutter {
 public:
  Cutter(std::string_view text, const std::string& source) : text_(text), source_(source) {
    // Spreadsheets put a byte order mark in front.
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  std::optional<CsvTable::Row> Next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) Step();
    if (at_ >= text_.size()) return std::nullopt;
    CsvTable::Row row{.line = line_};
    do {
      row.cells.push_back(Cell());
    } while (Take(','));
    Take('\r');
    if (at_ < text_.size() && !Take('\n')) Complain("has text after a closing quote");
    return row;
  }

 private:
  char Step() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  bool Take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    Step();
    return true;
  }

  std::string Cell() {
    if (Take('"')) return Quoted();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell(text_.substr(at_, end - at_));
    at_ = end;
    return cell;
  }

  std::string Quoted() {
    const int begun = line_;
    std::string cell;
    while (at_ < text_.size()) {
      const char c = Step();
      if (c != '"') {
        cell += c;
      } else if (Take('"')) {
        cell += '"';
      } else {
        return cell;
      }
    }
    line_ = begun;
    Complain("has a quote that is never closed");
  }

  [[noreturn]] void Complain(const char* what) const {
    throw Error(fmt::format("{} line {} {}", source_, line_, what), "correct that line");
  }

  std::string_view text_;
  std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// More are no table that anybody wrote, and columns are found one after another.
constexpr std::size_t kMostColumns = 1000;

}  // namespace

CsvTable CsvTable::Parse(std::string_view text, std::string source) {
  CsvTable table;
  table.source_ = std::move(source);
  Cutter cutter(text, table.source_);
  std::optional<Row> header = cutter.Next();
  if (!header) throw Error(fmt::format("{} is empty", table.source_), "give a table with a header line");
  table.columns_ = std::move(header->cells);
  if (table.columns_.size() > kMostColumns) {
    throw Error(fmt::format("{} line {} has {} columns, and no table of ours has more than {}", table.source_,
                            header->line, table.columns_.size(), kMostColumns),
                "check that it is a table with a header line");
  }
  for (std::string& column : table.columns_) column = std::string(Trimmed(column));
  for (std::size_t i = 0; i < table.columns_.size(); ++i) {
    if (table.columns_[i].empty()) {
      throw Error(fmt::format("{} line {}: column {} has no name", table.source_, header->line, i + 1),
                  "name every column in the first line");
    }
    if (table.ColumnOf(table.columns_[i]) != i) {
      throw Error(fmt::format("{} line {}: column '{}' is there twice", table.source_, header->line,
                              table.columns_[i]),
                  "remove one of them");
    }
  }
  while (std::optional<Row> row = cutter.Next()) {
    if (row->cells.size() != table.columns_.size()) {
      throw Error(fmt::format("{} line {} has {} cells, and the header has {}", table.source_, row->line,
                              row->cells.size(), table.columns_.size()),
                  "add or remove commas, or put the cell that holds one in quotes");
    }
    table.rows_.push_back(std::move(*row));
  }
  return table;
}

std::optional<std::size_t> CsvTable::ColumnOf(std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i] == name) return i;
  }
  return std::nullopt;
}

std::string CsvRow::Text(std::string_view column) const {
  const auto index = table_->ColumnOf(column);
  return index ? std::string(Trimmed(row_->cells[*index])) : std::string();
}

std::string CsvRow::RequiredText(std::string_view column) const {
  std::string text = Text(column);
  if (text.empty()) Fail(column, "is empty");
  return text;
}

std::optional<double> CsvRow::Number(std::string_view column, double least) const {
  const std::string text = Text(column);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    Fail(column, fmt::format("is '{}', which is no number", Shortened(text)));
  if (value < least) Fail(column, fmt::format("is {}, and the least that can be meant is {:g}", text, least));
  return value;
}

double CsvRow::RequiredNumber(std::string_view column, double least) const {
  RequiredText(column);
  return *Number(column, least);
}

std::optional<int> CsvRow::Integer(std::string_view column, int least) const {
  const auto number = Number(column, least);
  if (!number) return std::nullopt;
  if (*number != std::floor(*number) || *number > std::numeric_limits<int>::max())
    Fail(column, fmt::format("is '{}', which is no whole number", Text(column)));
  return static_cast<int>(*number);
}

int CsvRow::RequiredInteger(std::string_view column, int least) const {
  RequiredText(column);
  return *Integer(column, least);
}

std::optional<bool> CsvRow::Truth(std::string_view column) const {
  const std::string text = Text(column);
  if (text.empty()) return std::nullopt;
  if (text != "yes" && text != "no")
    Fail(column, fmt::format("is '{}', neither yes nor no", Shortened(text)));
  return text == "yes";
}

std::vector<std::string> CsvRow::List(std::string_view column) const {
  std::vector<std::string> parts;
  const std::string text = Text(column);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view part = Trimmed(std::string_view(text).substr(begin, end - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

void CsvRow::Fail(std::string_view column, const std::string& complaint) const {
  throw Error(fmt::format("{} line {}: {} {}", source(), line(), column, complaint), "correct that cell");
}

std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

}  // namespace stallscope
