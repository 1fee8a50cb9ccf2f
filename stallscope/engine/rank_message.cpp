#include "stallscope/engine/rank_message.h"

#include <algorithm>
#include <array>

namespace stallscope {
namespace {

using nlohmann::json;

struct Field {
  const char* name;
  bool (json::*is_right)() const noexcept;
};

/// Those that every command looks at; what a block or a workload holds is checked where it is read.
constexpr std::array kFields = {
    Field{"step", &json::is_number_integer},     Field{"place", &json::is_string},
    Field{"unseen", &json::is_string},           Field{"why", &json::is_string},
    Field{"message", &json::is_string},          Field{"hint", &json::is_string},
    Field{"lost_connection", &json::is_boolean}, Field{"with_exit_status", &json::is_boolean},
    Field{"exit_code", &json::is_number_integer}};

}  // namespace

std::optional<json> ParseRankEvent(const std::string& line) {
  json event = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!event.is_object() || !event.contains("event") || !event.at("event").is_string()) return std::nullopt;
  const bool right = std::all_of(kFields.begin(), kFields.end(), [&](const Field& field) {
    const auto found = event.find(field.name);
    return found == event.end() || ((*found).*field.is_right)();
  });
  return right ? std::optional(std::move(event)) : std::nullopt;
}

}  // namespace stallscope
