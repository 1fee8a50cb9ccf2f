#include "stallscope/document/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

bool IsOfType(const Json& value, const std::string& type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
         (type == "boolean" && value.is_boolean()) || (type == "integer" && value.is_number_integer()) ||
         (type == "null" && value.is_null());
}

std::string TypeViolation(const Json& value, const Json& rule, const std::string& path) {
  const auto type = rule.find("type");
  if (type == rule.end()) return "";
  if (type->is_string()) return IsOfType(value, *type) ? "" : path + " is no " + type->get<std::string>();
  const bool fits = std::any_of(type->begin(), type->end(),
                                [&](const Json& one) { return IsOfType(value, one.get<std::string>()); });
  return fits ? "" : path + " is of another type";
}

std::string ValueViolation(const Json& value, const Json& rule, const std::string& path) {
  if (rule.contains("const") && value != rule["const"]) return path + " is not the constant";
  if (rule.contains("enum") &&
      std::find(rule["enum"].begin(), rule["enum"].end(), value) == rule["enum"].end()) {
    return path + " is none of the enum";
  }
  std::string found = TypeViolation(value, rule, path);
  if (!found.empty()) return found;
  if (!value.is_number()) return "";
  if (rule.contains("minimum") && value < rule["minimum"]) return path + " is too small";
  if (rule.contains("maximum") && value > rule["maximum"]) return path + " is too large";
  return "";
}

std::string ObjectViolation(const Json& value, const Json& rule, const Json& schema, const std::string& path,
                            bool strict) {
  for (const Json& key : rule.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return path + " lacks " + key.get<std::string>();
  }
  const Json properties = rule.value("properties", Json::object());
  const Json others = rule.value("additionalProperties", Json(true));
  for (const auto& [key, inner] : value.items()) {
    const std::string inner_path = fmt::format("{}/{}", path, key);
    const auto known = properties.find(key);
    const Json* inner_rule = known != properties.end() ? &*known : others.is_object() ? &others : nullptr;
    if (!inner_rule) {
      if (strict && others == Json(false)) return fmt::format("{} has an unknown {}", path, key);
      continue;
    }
    std::string found = SchemaViolation(inner, *inner_rule, schema, inner_path, strict);
    if (!found.empty()) return found;
  }
  return "";
}

std::string ChoiceViolation(const Json& value, const Json& choices, const Json& schema,
                            const std::string& path, bool strict) {
  std::string last;
  for (const Json& choice : choices) {
    last = SchemaViolation(value, choice, schema, path, strict);
    if (last.empty()) return "";
  }
  return last;
}

/// Parsed once: a store has hundreds of documents to check.
const std::vector<Json>& ShippedSchemas() {
  static const std::vector<Json> schemas = [] {
    std::vector<Json> parsed;
    for (const EmbeddedFile& file : SchemaFiles()) parsed.push_back(Json::parse(file.text));
    return parsed;
  }();
  return schemas;
}

}  // namespace

std::string SchemaViolation(const Json& value, const Json& rule, const Json& schema, const std::string& path,
                            bool strict) {
  if (!rule.is_object()) return "";
  if (rule.contains("$ref")) {
    const auto name = rule["$ref"].get<std::string>();
    return SchemaViolation(value, schema.at(Json::json_pointer(name.substr(1))), schema, path, strict);
  }
  std::string found = ValueViolation(value, rule, path);
  if (found.empty() && value.is_object()) found = ObjectViolation(value, rule, schema, path, strict);
  if (found.empty() && value.is_array() && rule.contains("items")) {
    for (std::size_t i = 0; i < value.size() && found.empty(); ++i) {
      found = SchemaViolation(value[i], rule["items"], schema, fmt::format("{}[{}]", path, i), strict);
    }
  }
  for (const char* choice : {"anyOf", "oneOf"}) {
    if (found.empty() && rule.contains(choice))
      found = ChoiceViolation(value, rule[choice], schema, path, strict);
  }
  return found;
}

void RequireShippedSchema(const Json& document, const std::string& source) {
  const auto field = document.find("schema");
  if (field == document.end() || !field->is_string()) {
    throw Error(fmt::format("'{}' has no field 'schema', so it is no document of stallscope's", source),
                "give a file that a stallscope command wrote");
  }
  const auto name = field->get<std::string>();
  for (const Json& schema : ShippedSchemas()) {
    const Json& properties = schema.value("properties", Json::object());
    if (!properties.contains("schema") || properties["schema"].value("const", "") != name) continue;
    // A newer program may have written more than this one knows.
    const std::string violation = SchemaViolation(document, schema, schema, "", false);
    if (violation.empty()) return;
    throw Error(fmt::format("'{}' is no valid {}: {}", source, name,
                            violation.starts_with(' ') ? "the document" + violation : violation),
                "write the document anew with the command that it came from");
  }
  throw Error(fmt::format("'{}' is a {}, which this version cannot show", source, name),
              "use a newer stallscope, or give a document of a kind that docs/formats.md lists");
}

}  // namespace stallscope
