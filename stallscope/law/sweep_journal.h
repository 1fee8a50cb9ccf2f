#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stallscope/document/host.h"
#include "stallscope/document/line_journal.h"
#include "stallscope/document/profile.h"
#include "stallscope/law/sweep_cell.h"

namespace stallscope {

/// The file of a sweep's folder that keeps every finished round: stallscope.sweep/1, one JSON document a line
/// after a first line that says where it was measured.
inline constexpr const char* kSweepFile = "sweep.jsonl";

/// Where a sweep was measured. Rounds of another machine are not comparable with this one's.
struct SweepOrigin {
  ToolInfo tool;
  HostInfo host;
  std::string created;
  /// Of all cores (the triad's rate), where it was measured.
  std::optional<double> memory_bytes_per_s;
  /// What a core has for itself, where it is known.
  std::optional<std::int64_t> private_cache_bytes;
};

/// All rounds of one launch's kind, whenever they were measured. `cell.links` are those that took part.
struct SweptCell {
  SweepCell cell;
  std::vector<SweepRound> rounds;
  double seconds = 0;  ///< of measuring, start and warm-up included
};

struct Sweep {
  SweepOrigin origin;
  std::vector<SweptCell> cells;
  std::vector<SweepCell> wanted;  ///< by all runs together, measured or not
  std::vector<std::pair<SweepCell, std::string>> failed;
};

/// Reads a sweep's folder, or the journal itself. Throws Error that names the file, the line and the field.
Sweep ReadSweep(const std::filesystem::path& path);

/// Appends to `sweep` what another one has. Throws UsageError where that was measured on another machine.
void Merge(Sweep& sweep, const Sweep& other);

class SweepJournal {
 public:
  /// `append`: the folder has a journal, to which rounds are added.
  SweepJournal(const std::filesystem::path& folder, const SweepOrigin& origin, bool append);
  /// `seconds`: since the launch began, or since the round before.
  void Write(const SweepCell& cell, const SweepRound& round, double seconds);
  /// What a run was asked for, so that a fit can say what is missing, and the cache of its machine's cores.
  void WriteWanted(const std::vector<SweepCell>& cells);
  void WriteFailure(const SweepCell& cell, const std::string& reason);

 private:
  LineJournal lines_;
  std::optional<std::int64_t> private_cache_bytes_;
};

}  // namespace stallscope
