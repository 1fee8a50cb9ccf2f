#include "stallscope/predict/measurement_table.h"

#include <fmt/format.h>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

Measurement FromRow(const CsvRow& row) {
  return {.line = row.line(),
          .series = row.Text("series"),
          .network = row.Text("network"),
          .sequence_length = row.Integer("seq_len", 1),
          .precision = row.Text("precision"),
          .gpu = row.Text("gpu"),
          .gpus_per_node = row.Integer("gpus_per_node", 1),
          .nodes = row.Integer("nodes", 1),
          .total_gpus = row.Integer("total_gpus", 1),
          .batch_per_gpu = row.Number("batch_per_gpu"),
          .data = row.Text("data"),
          .instance = row.Text("instance"),
          .interconnect = row.Text("interconnect"),
          .network_gbps = row.Number("network_gbps"),
          .transport = row.Text("transport"),
          .sync = row.Text("sync"),
          .framework = row.Text("framework"),
          .samples_per_s = row.Number("samples_per_s"),
          .source = row.Text("source"),
          .notes = row.Text("notes"),
          .where = row.Text("where"),
          .year = row.Integer("year")};
}

}  // namespace

std::vector<Measurement> ReadMeasurements(std::string_view text, const std::string& file) {
  const CsvTable table = CsvTable::Parse(text, file);
  for (const char* needed : {"series", "network", "samples_per_s"}) {
    if (table.ColumnOf(needed)) continue;
    throw Error(fmt::format("{} has no column '{}'", file, needed),
                "its first line must name the columns (docs/formats.md)");
  }
  std::vector<Measurement> rows;
  for (const CsvTable::Row& row : table.rows()) rows.push_back(FromRow(CsvRow(table, row)));
  if (rows.empty()) throw Error(file + " has a header and no rows", "give a table of measurements");
  return rows;
}

std::vector<Measurement> ReadMeasurementFile(const std::string& file) {
  const std::string text = ReadFile(file);
  if (text.empty()) throw Error(fmt::format("'{}' is empty", file), "give a table of measurements");
  return ReadMeasurements(text, file);
}

}  // namespace stallscope
