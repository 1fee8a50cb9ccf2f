#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// From one nanosecond to another, since the trace begins.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

inline std::int64_t NanosecondsOf(double seconds) {
  return std::llround(seconds * 1e9);
}

/// Text within JSON's quotes.
std::string JsonText(const std::string& text);

/// Writes events of Chrome's trace format, one a line, as they come.
class TraceEvents {
 public:
  explicit TraceEvents(std::ostream& out);

  void NameProcess(int process, const std::string& name);
  void NameTrack(int process, int track, const std::string& name);

  /// The span, cut where it would begin before the last one that was placed on this track had ended.
  Span Place(int process, int track, Span span);

  /// `arguments` are members of a JSON object, or nothing.
  void Slice(int process, int track, const Span& span, const std::string& name, const std::string& arguments);
  void Counter(int process, std::int64_t at, const std::string& name, double value);

  /// Ends the file; `about` is what viewers show as metadata.
  void Finish(const Json& about);

 private:
  void Line(const std::string& event);

  std::ostream& out_;
  bool first_ = true;
  std::map<std::pair<int, int>, std::int64_t> ends_;
};

}  // namespace stallscope
