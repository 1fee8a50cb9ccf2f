#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Records that travel between our processes as JSON. Each lists its fields once, in its namespace:
//
//   template <FieldsOf<Span> Record, typename Visit>
//   void VisitFields(Record& span, Visit visit) {
//     visit("begin_s", span.begin_s);
//   }
//
// Enumerators travel as their values: both ends are built from one tree. An optional field without a value
// does not travel.
namespace stallscope {

/// A field is missing, of another type, or a number that it cannot hold.
class RecordError : public std::runtime_error {
 public:
  RecordError(const std::string& field, const std::string& complaint)
      : std::runtime_error(fmt::format("'{}' {}", field, complaint)) {}
};

template <typename Record, typename Type>
concept FieldsOf = std::same_as<std::remove_const_t<Record>, Type>;

/// The object's field of that name. An optional one may be missing, and is then left as it is.
template <typename T>
void TakeField(const nlohmann::json& object, const char* name, T& to);

namespace record_json {

template <typename T>
constexpr bool kIsVector = false;
template <typename T>
constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
constexpr bool kIsOptional = false;
template <typename T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
nlohmann::json Written(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<std::underlying_type_t<T>>(value);
  } else if constexpr (kIsVector<T>) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& item : value) list.push_back(Written(item));
    return list;
  } else {
    nlohmann::json object = nlohmann::json::object();
    VisitFields(value, [&](const char* name, const auto& field) {
      if constexpr (kIsOptional<std::remove_cvref_t<decltype(field)>>) {
        if (field) object[name] = Written(*field);
      } else {
        object[name] = Written(field);
      }
    });
    return object;
  }
}

/// A cast, which is what nlohmann makes of it, means nothing for a number that is too large.
template <std::integral T>
T WholeNumber(const nlohmann::json& value, const char* name) {
  if (!value.is_number_integer()) throw RecordError(name, "is not a whole number");
  const auto fitting = [&]<typename Wide>(Wide wide) {
    if (!std::in_range<T>(wide)) throw RecordError(name, "is a number that cannot be meant");
    return static_cast<T>(wide);
  };
  return value.is_number_unsigned() ? fitting(value.get<std::uint64_t>())
                                    : fitting(value.get<std::int64_t>());
}

template <typename T>
void Take(const nlohmann::json& value, const char* name, T& to) {
  if constexpr (std::same_as<T, std::string>) {
    if (!value.is_string()) throw RecordError(name, "is not a text");
    to = value.get<std::string>();
  } else if constexpr (std::same_as<T, bool>) {
    if (!value.is_boolean()) throw RecordError(name, "is neither true nor false");
    to = value.get<bool>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!value.is_number()) throw RecordError(name, "is not a number");
    to = value.get<T>();
  } else if constexpr (std::is_enum_v<T>) {
    to = static_cast<T>(WholeNumber<std::underlying_type_t<T>>(value, name));
  } else if constexpr (std::is_integral_v<T>) {
    to = WholeNumber<T>(value, name);
  } else if constexpr (kIsVector<T>) {
    if (!value.is_array()) throw RecordError(name, "is not a list");
    to.clear();
    for (const nlohmann::json& item : value) Take(item, name, to.emplace_back());
  } else {
    if (!value.is_object()) throw RecordError(name, "is not an object");
    VisitFields(to, [&](const char* inner, auto& field) { TakeField(value, inner, field); });
  }
}

}  // namespace record_json

template <typename T>
void TakeField(const nlohmann::json& object, const char* name, T& to) {
  if (!object.is_object()) throw RecordError(name, "is looked for in what is not an object");
  const auto found = object.find(name);
  if constexpr (record_json::kIsOptional<T>) {
    if (found == object.end()) return;
    typename T::value_type record{};
    record_json::Take(*found, name, record);
    to = std::move(record);
  } else {
    if (found == object.end()) throw RecordError(name, "is missing");
    record_json::Take(*found, name, to);
  }
}

template <typename Record>
nlohmann::json RecordToJson(const Record& record) {
  return record_json::Written(record);
}

/// Throws RecordError.
template <typename Record>
Record RecordFromJson(const nlohmann::json& json) {
  Record record;
  record_json::Take(json, "the message", record);
  return record;
}

}  // namespace stallscope
