#include "stallscope/document/line_journal.h"

#include <fmt/format.h>

#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {

LineJournal::LineJournal(std::filesystem::path path, bool append) : path_(std::move(path)) {
  // A run that was killed while it wrote leaves part of a line; the next line must not be joined to it.
  if (append) std::filesystem::resize_file(path_, ReadFile(path_).rfind('\n') + 1);
  file_.open(path_, append ? std::ios::app : std::ios::trunc);
}

void LineJournal::Write(const Json& line) {
  file_ << line.dump() << '\n' << std::flush;
  if (!file_) {
    throw Error(fmt::format("cannot write '{}'", path_.string()), "free some space on that disk");
  }
}

std::vector<JournalLine> ReadJournalLines(const std::filesystem::path& path) {
  const std::string text = ReadFile(path);
  std::vector<JournalLine> lines;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;  // cut off while it was written
    std::string source = fmt::format("{} line {}", path.string(), number);
    Json json = ParseDocument(text.substr(begin, end - begin), source);
    lines.push_back({std::move(json), std::move(source)});
    begin = end + 1;
  }
  return lines;
}

}  // namespace stallscope
