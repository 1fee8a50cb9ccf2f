#pragma once

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "stallscope/base/error.h"

namespace stallscope {

/// A line that a rank sent: an object whose `event` is a text, and whose other fields that every command
/// looks at are of their types. Nothing for every other line: a user's program may write into our pipe as
/// well.
std::optional<nlohmann::json> ParseRankEvent(const std::string& line);

/// What `read` makes of a rank's message. Throws Error where a field is missing or of another type.
template <typename Read>
auto ReadRankMessage(const char* what, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& e) {
    throw Error(fmt::format("a rank sent {} that cannot be understood: {}", what, e.what()),
                "report this, with the files of log/ in the folder of results");
  }
}

}  // namespace stallscope
