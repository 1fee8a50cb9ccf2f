#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/base/csv_table.h"
#include "stallscope/base/error.h"
#include "stallscope/catalog/allreduce_curve.h"
#include "stallscope/catalog/dataset_preset.h"
#include "stallscope/catalog/gpu.h"
#include "stallscope/catalog/machine.h"
#include "stallscope/catalog/price.h"
#include "stallscope/catalog/topology.h"

namespace stallscope {

/// All rows of all files, in the order in which they were read.
struct CatalogTables {
  std::vector<Source> sources;
  std::vector<Gpu> gpus;
  std::vector<Machine> machines;
  std::vector<Price> prices;
  std::vector<MachineTopology> topologies;
  std::vector<AllReduceCurve> curves;
  std::vector<AllReduceThreshold> thresholds;
  std::vector<DatasetPreset> datasets;
};

/// Gets every complaint about a row; reading goes on with the next one. The default throws.
using OnBadRow = std::function<void(const Error& complaint)>;
void ThrowBadRow(const Error& complaint);

/// Adds a file's rows. Which table it is, is seen by its header; docs/catalog.md lists the columns. Throws
/// Error where it is none, or has a column that the table does not know.
void ReadTable(std::string_view text, const std::string& source, CatalogTables& tables,
               const OnBadRow& on_bad_row = ThrowBadRow);

/// The name of the table that has this header ("machines"). Throws Error where there is none.
std::string TableOf(const CsvTable& table);

// One row of each table. They throw Error.
Source ReadSource(const CsvRow& row);
Gpu ReadGpu(const CsvRow& row);
Machine ReadMachine(const CsvRow& row);
Price ReadPrice(const CsvRow& row);
DatasetPreset ReadDataset(const CsvRow& row);
AllReduceThreshold ReadThreshold(const CsvRow& row);
/// Adds the segment to the last curve where that has the row's name, else begins a new one.
void ReadCurveRow(const CsvRow& row, std::vector<AllReduceCurve>& curves);
/// The same for an edge of a topology.
void ReadTopologyRow(const CsvRow& row, std::vector<MachineTopology>& topologies);

Provenance ReadProvenance(const CsvRow& row);

}  // namespace stallscope
