#include "stallscope/predict/measurement_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <istream>
#include <map>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// Records of comma-separated text; quoted fields may hold commas, quotes and line breaks.
class CsvReader {
 public:
  CsvReader(std::istream& in, const std::string& file) : in_(in), file_(file) {}

  int line() const { return record_line_; }

  /// The next record; false at the end. Empty lines are no records.
  bool Next(std::vector<std::string>& fields) {
    do {
      if (!ReadRecord(fields)) return false;
    } while (fields.size() == 1 && fields.front().empty());
    return true;
  }

 private:
  bool ReadRecord(std::vector<std::string>& fields) {
    fields.assign(1, "");
    record_line_ = ++line_;
    bool any = false;
    bool quoted = false;
    for (int c = in_.get(); c != EOF; c = in_.get()) {
      any = true;
      if (quoted) {
        if (c == '"' && in_.peek() == '"') {
          fields.back() += static_cast<char>(in_.get());
        } else if (c == '"') {
          quoted = false;
        } else {
          if (c == '\n') ++line_;
          fields.back() += static_cast<char>(c);
        }
      } else if (c == '"' && fields.back().empty()) {
        quoted = true;
      } else if (c == ',') {
        fields.emplace_back();
      } else if (c == '\n') {
        return true;
      } else if (c != '\r') {
        fields.back() += static_cast<char>(c);
      }
    }
    if (quoted) {
      throw Error(fmt::format("{} line {}: a quoted field never ends", file_, record_line_),
                  "close the quotation mark");
    }
    return any;
  }

  std::istream& in_;
  const std::string& file_;
  int line_ = 0;
  int record_line_ = 0;
};

/// The fields of one record by the names of the header.
class Record {
 public:
  Record(const std::map<std::string, std::size_t>& columns, const std::vector<std::string>& fields,
         const std::string& file, int line)
      : columns_(columns), fields_(fields), file_(file), line_(line) {}

  std::string Text(const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end() || found->second >= fields_.size()) return "";
    const std::string& text = fields_[found->second];
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
  }

  std::optional<double> Number(const std::string& column) const {
    const std::string text = Text(column);
    if (text.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      throw Error(fmt::format("{} line {}: {} '{}' is no number", file_, line_, column, text),
                  "write a number, or leave it blank where it is not known");
    }
    return value;
  }

  std::optional<int> Count(const std::string& column) const {
    const std::optional<double> value = Number(column);
    if (!value) return std::nullopt;
    if (*value < 1 || *value > 1e9 || *value != std::floor(*value)) {
      throw Error(fmt::format("{} line {}: {} '{}' is no count", file_, line_, column, Text(column)),
                  "write a whole number from 1 on, or leave it blank where it is not known");
    }
    return static_cast<int>(*value);
  }

 private:
  const std::map<std::string, std::size_t>& columns_;
  const std::vector<std::string>& fields_;
  const std::string& file_;
  int line_;
};

Measurement FromRecord(const Record& record, int line) {
  return {.line = line,
          .series = record.Text("series"),
          .network = record.Text("network"),
          .sequence_length = record.Count("seq_len"),
          .precision = record.Text("precision"),
          .gpu = record.Text("gpu"),
          .gpus_per_node = record.Count("gpus_per_node"),
          .nodes = record.Count("nodes"),
          .total_gpus = record.Count("total_gpus"),
          .batch_per_gpu = record.Number("batch_per_gpu"),
          .data = record.Text("data"),
          .instance = record.Text("instance"),
          .interconnect = record.Text("interconnect"),
          .network_gbps = record.Number("network_gbps"),
          .transport = record.Text("transport"),
          .sync = record.Text("sync"),
          .framework = record.Text("framework"),
          .samples_per_s = record.Number("samples_per_s"),
          .source = record.Text("source")};
}

}  // namespace

std::vector<Measurement> ReadMeasurements(std::istream& in, const std::string& file) {
  CsvReader reader(in, file);
  std::vector<std::string> fields;
  if (!reader.Next(fields)) throw Error(file + " is empty", "give a table with a header (docs/formats.md)");
  if (fields.front().starts_with("\xef\xbb\xbf")) fields.front().erase(0, 3);  // a mark of spreadsheets
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < fields.size(); ++i) columns.emplace(fields[i], i);
  for (const char* needed : {"series", "network", "samples_per_s"}) {
    if (columns.contains(needed)) continue;
    throw Error(fmt::format("{} has no column '{}'", file, needed),
                "its first line must name the columns (docs/formats.md)");
  }
  std::vector<Measurement> rows;
  while (reader.Next(fields)) {
    rows.push_back(FromRecord(Record(columns, fields, file, reader.line()), reader.line()));
  }
  if (rows.empty()) throw Error(file + " has a header and no rows", "give a table of measurements");
  return rows;
}

std::vector<Measurement> ReadMeasurementFile(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error(fmt::format("cannot read '{}'", file), "check the path of the table");
  return ReadMeasurements(in, file);
}

}  // namespace stallscope
