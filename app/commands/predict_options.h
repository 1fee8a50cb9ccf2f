#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/catalog_options.h"
#include "app/output.h"
#include "app/page_file.h"
#include "stallscope/network/network.h"
#include "stallscope/predict/what_if.h"

namespace stallscope {

/// The flags of `predict`, as typed.
struct PredictFlags {
  std::string model;
  std::optional<int> image_size;
  std::optional<int> sequence_length;
  std::optional<int> batch;
  std::string dtype;
  std::string stack;
  std::string bucket;
  std::string profile;
  std::string measured_on;

  std::string dataset;
  std::string samples;
  std::string sample_bytes;
  std::string cached;

  std::vector<std::string> instances;
  std::string machine;
  std::string law;  ///< of the machine of --machine; empty: the newest in the store
  bool no_law = false;
  int nodes = 1;
  CatalogFlags catalog;

  std::string bandwidth;
  std::string gpu;
  std::optional<int> workers;

  PageFlags page;
  OutputOptions output;

  void Declare(CLI::App& app);
  /// Throws UsageError where flags contradict each other or say nothing that could be meant.
  void Check() const;

  /// The instances, commas taken apart, each once.
  std::vector<std::string> Instances() const;
  /// What --model and its companions say.
  TrainingPlan Plan(const Network& network, const Catalog& catalog) const;
  NetworkOptions Options() const;
  WhatIf Change(const Catalog& catalog) const;
  /// --dataset, or --samples with --sample-bytes; nothing where neither is given. `length`: tokens of a
  /// sample, absent for images.
  std::optional<PlannedData> Data(const std::string& workload, std::optional<double> length,
                                  const Catalog& catalog) const;
  std::optional<double> CachedShare() const;
  /// The GPU of --profile. Throws UsageError where none is named.
  const Gpu& MeasuredOn(const Catalog& catalog) const;
  /// Throws UsageError where --stack names none that is known.
  void CheckStack() const;
};

}  // namespace stallscope
