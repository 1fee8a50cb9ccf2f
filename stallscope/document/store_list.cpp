#include <fmt/core.h>

#include <algorithm>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/store.h"

namespace stallscope {
namespace {

/// No document comes near it; a stray archive should not be read into memory.
constexpr std::uintmax_t kLargestDocument = 256U << 20U;

std::optional<std::string> TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

std::optional<std::string> TextIn(const Json& json, const char* object, const char* key) {
  const auto found = json.find(object);
  return found != json.end() && found->is_object() ? TextAt(*found, key) : std::nullopt;
}

/// Fills in what a document says about itself, so that one of a newer version is still recognised.
void Describe(const std::string& text, const std::string& source, StoreEntry& entry) {
  const Json document = ParseDocument(text, source);
  entry.schema = TextAt(document, "schema");
  if (!entry.schema || !entry.schema->starts_with("stallscope.")) {
    entry.schema.reset();
    throw Error("it is no document of stallscope", "");
  }
  entry.created = TextAt(document, "created");
  entry.host = TextIn(document, "host", "name");
  entry.model = TextIn(document, "workload", "model");
  if (entry.schema->starts_with("stallscope.profile/")) entry.profile = ProfileFromJson(text, source);
}

StoreEntry Read(const std::filesystem::path& path) {
  StoreEntry entry;
  entry.path = path;
  const std::string source = path.filename().string();
  try {
    if (std::filesystem::file_size(path) > kLargestDocument) throw Error("it is too large", "");
    Describe(ReadFile(path), source, entry);
  } catch (const std::exception& error) {
    // The list names the file already.
    const std::string reason = error.what();
    entry.unreadable = reason.starts_with(source + ": ") ? reason.substr(source.size() + 2) : reason;
  }
  return entry;
}

bool NewerFirst(const StoreEntry& a, const StoreEntry& b) {
  if (a.created != b.created) return a.created > b.created;  // absent is less than any time
  return a.path > b.path;
}

}  // namespace

std::vector<StoreEntry> Store::List() const {
  std::error_code code;
  std::vector<StoreEntry> entries;
  std::filesystem::directory_iterator files(folder_, code);
  if (code == std::errc::no_such_file_or_directory) return entries;
  for (; !code && files != std::filesystem::directory_iterator(); files.increment(code)) {
    std::error_code vanished;
    if (files->path().filename().string().starts_with(".") || !files->is_regular_file(vanished)) continue;
    entries.push_back(Read(files->path()));
  }
  if (code) {
    throw Error(fmt::format("cannot read the store '{}': {}", folder_.string(), code.message()),
                "check the path, or give --store DIR");
  }
  std::sort(entries.begin(), entries.end(), NewerFirst);
  return entries;
}

}  // namespace stallscope
