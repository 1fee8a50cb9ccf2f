#pragma once

#include <optional>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// What is absent leaves no trace in a document: there is no null.
template <typename T>
void Put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

inline void Put(Json& json, const char* key, const std::optional<Estimate>& value) {
  if (value) json[key] = ToJson(*value);
}

}  // namespace stallscope
