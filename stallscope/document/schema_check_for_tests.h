#pragma once

#include <filesystem>
#include <string>

#include "stallscope/document/atomic_file.h"
#include "stallscope/document/schema_check.h"

namespace stallscope {

/// The first violation of a schema file, or nothing.
inline std::string SchemaViolation(const Json& document, const std::filesystem::path& schema_file) {
  const Json schema = Json::parse(ReadFile(schema_file));
  return SchemaViolation(document, schema, schema, "");
}

}  // namespace stallscope
