#pragma once

#include <span>
#include <string>

#include "stallscope/base/embedded_file.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {

/// The files of docs/schema, as "profile-1.schema.json".
std::span<const EmbeddedFile> SchemaFiles();

/// Enough of JSON Schema for our own schemas: type, const, enum, required, properties,
/// additionalProperties, items, minimum, maximum, anyOf, oneOf (as anyOf) and $ref. Returns the first
/// violation, as "/stalls/compute lacks share"; empty: there is none. `strict`: fields that the schema does
/// not know break it.
std::string SchemaViolation(const Json& value, const Json& rule, const Json& schema, const std::string& path,
                            bool strict = true);

/// The same for a document whose `schema` field names a shipped schema ("stallscope.profile/1"). Throws
/// Error where it breaks it, or where there is none of that name. `source` is the file, for that sentence.
void RequireShippedSchema(const Json& document, const std::string& source);

}  // namespace stallscope
