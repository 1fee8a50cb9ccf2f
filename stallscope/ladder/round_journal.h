#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"
#include "stallscope/document/line_journal.h"
#include "stallscope/ladder/measure.h"

namespace stallscope {

/// The file that keeps finished rounds, one JSON document a line after a first line that says what was
/// measured: stallscope.rounds/1.
inline constexpr const char* kJournalFile = "rounds.jsonl";

/// Writes each round as it is finished, so that `--resume` can go on with it. Throws Error where it cannot.
class RoundJournal : public MeasureObserver {
 public:
  /// `job` is everything that a resumed run must share. `append`: the journal is there already.
  RoundJournal(const std::filesystem::path& folder, const Json& job, bool append);
  void OnRound(const MeasuredRound& round) override;

 private:
  LineJournal lines_;
};

/// The rounds that a run with the same job left in a folder. A last line that was cut off is passed over.
/// Throws UsageError where there is no journal, or the job was another: then it names the difference.
std::vector<MeasuredRound> ReadJournal(const std::filesystem::path& folder, const Json& job);

}  // namespace stallscope
