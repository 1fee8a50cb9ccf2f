#include "stallscope/document/json_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/base/shortened.h"

namespace stallscope {
namespace {

constexpr const char* kHint = "check that the file is complete and was written by stallscope";
/// Ours have less than ten; whoever walks through a document calls itself for each.
constexpr int kDeepest = 64;
/// Ours have less than a hundred; fields of an object are found one after another.
constexpr std::size_t kMostFields = 1000;

/// More than any bytes, operations or seconds that a document can mean; squares of less are still numbers.
constexpr double kLargestNumber = 1e30;

/// Rates, sizes and times of whole steps; differences of times may well be below zero.
bool IsAmount(std::string_view key) {
  return key.ends_with("_per_s") || key.ends_with("_bytes") || key == "bytes" || key == "time_s" ||
         key.ends_with("step_time_s") || key == "epoch_time_s" || key.ends_with("_cost_usd");
}

/// What JSON allows and no document of ours has, refused while it is read: fields that are there twice, of
/// which one would be believed, and shapes that would take a reader's stack or its whole day.
class ShapeCheck {
 public:
  explicit ShapeCheck(const std::string& source) : source_(source) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepest)
      throw Error(fmt::format("{}: it is nested deeper than {} levels", source_, kDeepest), kHint);
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key) Take(parsed.get_ref<const std::string&>());
    if (event == Json::parse_event_t::value && parsed.is_number_float() &&
        std::fabs(parsed.get<double>()) > kLargestNumber)
      throw Error(fmt::format("{}: field '{}' is {:g}, which is too large a number", source_, last_key_,
                              parsed.get<double>()),
                  kHint);
    return true;
  }

 private:
  void Take(const std::string& key) {
    last_key_ = Shortened(key);
    if (!open_.back().insert(key).second)
      throw Error(fmt::format("{}: field '{}' is there twice", source_, Shortened(key)), kHint);
    if (open_.back().size() > kMostFields)
      throw Error(fmt::format("{}: an object has more than {} fields", source_, kMostFields), kHint);
  }

  const std::string& source_;
  std::string last_key_;
  std::vector<std::unordered_set<std::string>> open_;  ///< keys of the objects that are being read
};

}  // namespace

JsonFields::JsonFields(const Json& object, std::string source, std::string path)
    : object_(&object), source_(std::move(source)), path_(std::move(path)) {
  if (!object.is_object()) {
    throw Error(fmt::format("{}: '{}' is not an object", source_, path_.empty() ? "the document" : path_),
                kHint);
  }
}

std::string JsonFields::PathOf(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

void JsonFields::Fail(const std::string& key, const std::string& complaint) const {
  throw Error(fmt::format("{}: field '{}' {}", source_, PathOf(key), complaint), kHint);
}

bool JsonFields::Has(const std::string& key) const {
  return object_->contains(key);
}

const Json& JsonFields::At(const std::string& key) const {
  const auto found = object_->find(key);
  if (found == object_->end()) Fail(key, "is missing");
  return *found;
}

std::string JsonFields::Text(const std::string& key) const {
  const Json& value = At(key);
  if (!value.is_string()) Fail(key, "is not a text");
  return value.get<std::string>();
}

double JsonFields::Number(const std::string& key) const {
  const Json& value = At(key);
  if (!value.is_number()) Fail(key, "is not a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number)) Fail(key, "is too large a number");
  if (number < 0 && IsAmount(key)) Fail(key, "is below zero");
  return number;
}

std::uint64_t JsonFields::Unsigned(const std::string& key) const {
  const Json& value = At(key);
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0)) {
    Fail(key, "is not a whole number of zero or more");
  }
  return value.get<std::uint64_t>();
}

std::int64_t JsonFields::Integer(const std::string& key) const {
  const std::uint64_t value = Unsigned(key);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    Fail(key, "is too large a number");
  }
  return static_cast<std::int64_t>(value);
}

int JsonFields::SmallInteger(const std::string& key) const {
  const std::int64_t value = Integer(key);
  if (value > std::numeric_limits<int>::max()) Fail(key, "is too large a number");
  return static_cast<int>(value);
}

bool JsonFields::Truth(const std::string& key) const {
  const Json& value = At(key);
  if (!value.is_boolean()) Fail(key, "is neither true nor false");
  return value.get<bool>();
}

Estimate JsonFields::Interval(const std::string& key) const {
  const JsonFields fields = Object(key);
  const Estimate estimate{fields.Number("mean"), fields.Number("low"), fields.Number("high")};
  if (estimate.low > estimate.high) Fail(key, "has an interval whose low end is above its high end");
  if (estimate.mean < 0 && IsAmount(key)) Fail(key, "is below zero");
  return estimate;
}

JsonFields JsonFields::Object(const std::string& key) const {
  return {At(key), source_, PathOf(key)};
}

std::vector<JsonFields> JsonFields::Objects(const std::string& key) const {
  const Json& list = At(key);
  if (!list.is_array()) Fail(key, "is not a list");
  std::vector<JsonFields> objects;
  for (std::size_t i = 0; i < list.size(); ++i) {
    objects.emplace_back(list[i], source_, fmt::format("{}[{}]", PathOf(key), i));
  }
  return objects;
}

std::vector<std::string> JsonFields::Texts(const std::string& key) const {
  const Json& list = At(key);
  if (!list.is_array()) Fail(key, "is not a list");
  std::vector<std::string> texts;
  for (const Json& value : list) {
    if (!value.is_string()) Fail(key, "holds something that is not a text");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::vector<std::string> JsonFields::Keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_->items()) keys.push_back(key);
  return keys;
}

std::optional<std::string> JsonFields::OptionalText(const std::string& key) const {
  return Has(key) ? std::optional(Text(key)) : std::nullopt;
}

std::optional<std::int64_t> JsonFields::OptionalInteger(const std::string& key) const {
  return Has(key) ? std::optional(Integer(key)) : std::nullopt;
}

std::optional<double> JsonFields::OptionalNumber(const std::string& key) const {
  return Has(key) ? std::optional(Number(key)) : std::nullopt;
}

std::optional<Estimate> JsonFields::OptionalInterval(const std::string& key) const {
  return Has(key) ? std::optional(Interval(key)) : std::nullopt;
}

std::optional<JsonFields> JsonFields::OptionalObject(const std::string& key) const {
  return Has(key) ? std::optional(Object(key)) : std::nullopt;
}

Json ParseDocument(const std::string& text, const std::string& source) {
  try {
    Json document = Json::parse(text, ShapeCheck(source));
    if (!document.is_object()) throw Error(source + ": the document is not an object", kHint);
    return document;
  } catch (const Json::parse_error& error) {
    const std::size_t byte = std::min(error.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    throw Error(fmt::format("{}: line {} is not valid JSON", source, line), kHint);
  } catch (const Json::out_of_range&) {
    throw Error(source + ": a number is too large", kHint);
  }
}

void RequireSchema(const Json& document, const std::string& expected, const std::string& source) {
  const std::string found = JsonFields(document, source).Text("schema");
  if (found == expected) return;
  const std::string kind = expected.substr(0, expected.find('/') + 1);
  if (found.starts_with(kind)) {
    throw Error(fmt::format("{}: it is a '{}', and this program reads '{}'", source, found, expected),
                "update stallscope to the version that wrote the file");
  }
  throw Error(fmt::format("{}: it is a '{}', not a '{}'", source, found, expected),
              kind == "stallscope.machine/"
                  ? "give a file that 'stallscope probe' wrote"
                  : "give a file that 'stallscope profile' or 'stallscope run' wrote");
}

Json ToJson(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"low", estimate.low}, {"high", estimate.high}};
}

void RequireFinite(const Json& value, const std::string& path) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw Error(fmt::format("cannot write the document: '{}' is not a finite number", path),
                "report this as a bug, with steps.csv");
  }
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items())
    RequireFinite(inner, path.empty() ? key : fmt::format("{}.{}", path, key));
}

}  // namespace stallscope
