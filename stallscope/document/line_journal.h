#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// A file of JSON documents, one a line, that grows while something is measured: whatever happens then, the
/// lines that were written stay.
class LineJournal {
 public:
  /// `append`: the file is there already; what a killed run left of a line is cut off.
  LineJournal(std::filesystem::path path, bool append);
  /// Throws Error where the disk does not take it.
  void Write(const Json& line);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
};

struct JournalLine {
  Json json;
  std::string source;  ///< "rounds.jsonl line 3", for complaints
};

/// All whole lines; a last one that was cut off is passed over. Throws Error that names the line.
std::vector<JournalLine> ReadJournalLines(const std::filesystem::path& path);

}  // namespace stallscope
