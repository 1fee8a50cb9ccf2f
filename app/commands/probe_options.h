#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/catalog_options.h"
#include "app/commands/launch_flags.h"
#include "app/output.h"
#include "app/page_file.h"
#include "stallscope/base/units.h"
#include "stallscope/probe/local_probes.h"

namespace stallscope {

struct ProbeOptions {
  LocalParts parts;
  bool collectives = true;  ///< all-reduces between ranks
  LaunchOptions launch;
  std::string data = ".";  ///< the folder or file whose disk is asked
  Seconds max_time{60};
  std::optional<Seconds> watch;  ///< go on for so long, and look for drift
  std::uint64_t seed = 1;
  bool dry_run = false;

  std::string card;  ///< judge this one instead of measuring
  CatalogFlags catalog;
  std::string expect;  ///< a card, or a machine's name; empty: nothing is expected
  /// Cloud machines of one kind differ by some percent; by a fifth they do not.
  double fail_below = 0.8;

  std::string out;
  std::string store;
  bool keep_in_store = true;
  bool force = false;
  PageFlags page;
  OutputOptions output;
};

struct ProbeFlags {
  ProbeOptions options;
  std::string only;
  std::string skip;
  std::string max_time = "60s";
  std::string watch;
  std::string join_timeout = "30s";
  std::string fail_below;
  bool no_store = false;

  void Declare(CLI::App& app);
  /// Throws UsageError that names the flag.
  void Read();

 private:
  void ReadParts();
};

}  // namespace stallscope
