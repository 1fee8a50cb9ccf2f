#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {

/// Enough of JSON Schema for our own schema: type, const, enum, required, properties,
/// additionalProperties, items, minimum, maximum and $ref. Returns the first violation.
inline std::string SchemaViolation(const Json& value, const Json& rule, const Json& schema,
                                   const std::string& path) {
  if (rule.contains("$ref")) {
    const auto name = rule["$ref"].get<std::string>();
    return SchemaViolation(value, schema.at(Json::json_pointer(name.substr(1))), schema, path);
  }
  if (rule.contains("const") && value != rule["const"]) return path + " is not the constant";
  if (rule.contains("enum") &&
      std::find(rule["enum"].begin(), rule["enum"].end(), value) == rule["enum"].end()) {
    return path + " is none of the enum";
  }
  const std::string type = rule.value("type", "");
  const bool fits = type.empty() || (type == "object" && value.is_object()) ||
                    (type == "array" && value.is_array()) || (type == "string" && value.is_string()) ||
                    (type == "number" && value.is_number()) || (type == "boolean" && value.is_boolean()) ||
                    (type == "integer" && value.is_number_integer());
  if (!fits) return path + " is no " + type;
  if (rule.contains("minimum") && value < rule["minimum"]) return path + " is too small";
  if (rule.contains("maximum") && value > rule["maximum"]) return path + " is too large";
  for (const Json& key : rule.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return path + " lacks " + key.get<std::string>();
  }
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      if (!rule["properties"].contains(key)) return fmt::format("{} has an unknown {}", path, key);
      std::string found =
          SchemaViolation(inner, rule["properties"][key], schema, fmt::format("{}/{}", path, key));
      if (!found.empty()) return found;
    }
  }
  if (value.is_array()) {
    for (const Json& inner : value) {
      std::string found = SchemaViolation(inner, rule["items"], schema, path + "[]");
      if (!found.empty()) return found;
    }
  }
  return "";
}

/// The first violation of a schema file, or nothing.
inline std::string SchemaViolation(const Json& document, const std::filesystem::path& schema_file) {
  const Json schema = Json::parse(ReadFile(schema_file));
  return SchemaViolation(document, schema, schema, "");
}

}  // namespace stallscope
