#pragma once

#include <fmt/core.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "stallscope/base/error.h"
#include "stallscope/engine/record_json.h"

namespace stallscope {

/// A line that a rank sent: an object whose `event` is a text, and whose other fields that every command
/// looks at are of their types. Nothing for every other line: a user's program may write into our pipe as
/// well.
std::optional<nlohmann::json> ParseRankEvent(const std::string& line);

/// What `read` makes of a rank's message. Throws Error where a field is missing or of another type.
template <typename Read>
auto ReadRankMessage(const char* what, const Read& read) {
  const auto refused = [&](const std::exception& e) {
    return Error(fmt::format("a rank sent {} that cannot be understood: {}", what, e.what()),
                 "report this, with the files of log/ in the folder of results");
  };
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw refused(e);
  } catch (const RecordError& e) {
    throw refused(e);
  }
}

}  // namespace stallscope
