#include "stallscope/report/trace_events.h"

#include <fmt/format.h>

#include <algorithm>

namespace stallscope {
namespace {

/// The format counts in microseconds.
std::string Microseconds(std::int64_t nanoseconds) {
  const char* sign = nanoseconds < 0 ? "-" : "";
  const std::int64_t size = std::abs(nanoseconds);
  return fmt::format("{}{}.{:03d}", sign, size / 1000, size % 1000);
}

}  // namespace

std::string JsonText(const std::string& text) {
  const std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

TraceEvents::TraceEvents(std::ostream& out) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
}

void TraceEvents::Line(const std::string& event) {
  out_ << (first_ ? "" : ",\n") << event;
  first_ = false;
}

void TraceEvents::NameProcess(int process, const std::string& name) {
  Line(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}})", process,
                   JsonText(name)));
  Line(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})",
                   process));
}

void TraceEvents::NameTrack(int process, int track, const std::string& name) {
  Line(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", process,
                   track, JsonText(name)));
  Line(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                   process, track, track));
}

Span TraceEvents::Place(int process, int track, Span span) {
  std::int64_t& end = ends_.try_emplace({process, track}, INT64_MIN).first->second;
  span.begin = std::max(span.begin, end);
  span.end = std::max(span.end, span.begin);
  end = span.end;
  return span;
}

void TraceEvents::Slice(int process, int track, const Span& span, const std::string& name,
                        const std::string& arguments) {
  Line(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}"{}}})", process, track,
                   Microseconds(span.begin), Microseconds(span.end - span.begin), JsonText(name),
                   arguments.empty() ? "" : ",\"args\":{" + arguments + "}"));
}

void TraceEvents::Counter(int process, std::int64_t at, const std::string& name, double value) {
  Line(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"value":{}}}}})", process,
                   Microseconds(at), JsonText(name), value));
}

void TraceEvents::Finish(const Json& about) {
  out_ << "\n],\"otherData\":" << about.dump(-1, ' ', false, Json::error_handler_t::replace) << "}\n";
}

}  // namespace stallscope
