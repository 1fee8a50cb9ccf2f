#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/output.h"
#include "stallscope/law/measure_cell.h"
#include "stallscope/law/sweep_cell.h"
#include "stallscope/law/sweep_design.h"

namespace stallscope {

struct LawSweepOptions {
  std::vector<SweepCell> cells;  ///< all that was asked for
  CellOptions cell;
  /// At the end, points whose stall is known less well than to this share of step time are visited again.
  double revisit_above = 0.05;
  std::optional<Seconds> max_time;
  std::string out;     ///< empty: ./stallscope-DATE-TIME
  std::string resume;  ///< the folder of an earlier sweep to go on with; empty: none
  std::string html;
  std::string store;
  bool keep_in_store = true;
  bool force = false;
  bool dry_run = false;
  std::uint64_t seed = 1;
  OutputOptions output;
};

/// Declares the flags; `options` is complete after Read.
struct LawSweepFlags {
  LawSweepOptions options;
  std::string networks = "layers,bytes,resnet,vgg";
  std::string buckets = "tensor,25MiB,model";
  std::string links = "unshaped,1Gbit,200Mbit";
  std::string ranks = "2";
  SweepWorkload workload;
  int rounds = 3;
  std::string tolerance = "3%";
  std::string again_above;
  std::string max_time;
  bool no_store = false;

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void Read();
};

}  // namespace stallscope
