#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/estimate.h"

namespace stallscope {

/// Keeps the order in which the fields were written: documents are read by people too.
using Json = nlohmann::ordered_json;

/// One object of a document, read field by field. Every complaint is an Error with one sentence that
/// names the file and the whole path of the field ("stalls.compute.seconds.mean").
class JsonFields {
 public:
  JsonFields(const Json& object, std::string source, std::string path = "");

  bool Has(const std::string& key) const;
  std::string Text(const std::string& key) const;
  double Number(const std::string& key) const;
  std::int64_t Integer(const std::string& key) const;  ///< zero or more
  int SmallInteger(const std::string& key) const;      ///< Integer that fits an int
  std::uint64_t Unsigned(const std::string& key) const;
  bool Truth(const std::string& key) const;
  Estimate Interval(const std::string& key) const;
  JsonFields Object(const std::string& key) const;
  std::vector<JsonFields> Objects(const std::string& key) const;
  std::vector<std::string> Texts(const std::string& key) const;
  std::vector<std::string> Keys() const;

  std::optional<std::string> OptionalText(const std::string& key) const;
  std::optional<std::int64_t> OptionalInteger(const std::string& key) const;
  std::optional<double> OptionalNumber(const std::string& key) const;
  std::optional<Estimate> OptionalInterval(const std::string& key) const;
  std::optional<JsonFields> OptionalObject(const std::string& key) const;

  [[noreturn]] void Fail(const std::string& key, const std::string& complaint) const;

 private:
  const Json& At(const std::string& key) const;
  std::string PathOf(const std::string& key) const;

  const Json* object_;
  std::string source_;
  std::string path_;
};

/// Parses a whole document that must be an object. Throws Error with the line of the mistake.
Json ParseDocument(const std::string& text, const std::string& source);

/// Throws Error where the document is of another kind, or of a version that this program is too old for.
void RequireSchema(const Json& document, const std::string& expected, const std::string& source);

Json ToJson(const Estimate& estimate);

/// Throws Error where a number anywhere inside is not finite: JSON has no word for it.
void RequireFinite(const Json& value, const std::string& path);

}  // namespace stallscope
