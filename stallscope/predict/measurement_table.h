#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// One row of a table of published training rates (docs/formats.md). What a row leaves blank is absent.
struct Measurement {
  int line = 0;  ///< of the file
  std::string series;
  std::string network;
  std::optional<int> sequence_length;
  std::string precision;
  std::string gpu;
  std::optional<int> gpus_per_node;
  std::optional<int> nodes;
  std::optional<int> total_gpus;
  std::optional<double> batch_per_gpu;
  std::string data;
  std::string instance;
  std::string interconnect;
  std::optional<double> network_gbps;
  std::string transport;
  std::string sync;
  std::string framework;
  std::optional<double> samples_per_s;
  std::string source;
  std::string notes;
  std::string where;
  std::optional<int> year;
};

/// Reads comma-separated values with a header; columns are found by name, in any order, and others are passed
/// over. Throws Error with file and line where the text is no such table.
std::vector<Measurement> ReadMeasurements(std::string_view text, const std::string& file);
std::vector<Measurement> ReadMeasurementFile(const std::string& file);

}  // namespace stallscope
