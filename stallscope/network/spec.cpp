#include "stallscope/network/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"

namespace stallscope {

namespace {

/// Beyond this a family's tables and weights fit no machine, and products of sizes overflow.
constexpr int kLargestParameter = 100'000;

}  // namespace

NetworkSpec ParseNetworkSpec(const std::string& text) {
  NetworkSpec spec;
  spec.text = text;
  const std::size_t colon = text.find(':');
  spec.name = text.substr(0, colon);
  if (colon == std::string::npos) return spec;
  std::istringstream rest(text.substr(colon + 1));
  for (std::string item; std::getline(rest, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) {
      throw UsageError(fmt::format("'{}' in the model '{}' is no parameter", item, text),
                       "write them as NAME:key=value,key=value, for example mlp:layers=64,width=512");
    }
    if (!spec.parameters.emplace(item.substr(0, equals), item.substr(equals + 1)).second) {
      throw UsageError(fmt::format("the model '{}' gives '{}' twice", text, item.substr(0, equals)),
                       "give every parameter once");
    }
  }
  if (spec.parameters.empty()) {
    throw UsageError(fmt::format("the model '{}' has a colon but no parameters", text),
                     fmt::format("write {0}, or {0}:key=value", spec.name));
  }
  return spec;
}

void RequireKnownParameters(const NetworkSpec& spec, const std::vector<std::string>& known) {
  for (const auto& [key, value] : spec.parameters) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw UsageError(fmt::format("the model '{}' has no parameter '{}'", spec.name, key),
                     known.empty() ? fmt::format("write {} without parameters", spec.name)
                                   : fmt::format("it takes {}", JoinAlternatives(known)));
  }
}

int WholeNumber(const NetworkSpec& spec, const std::string& key, int fallback, int smallest) {
  const auto found = spec.parameters.find(key);
  if (found == spec.parameters.end()) return fallback;
  const std::string& text = found->second;
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < smallest ||
      value > kLargestParameter) {
    throw UsageError(fmt::format("the model '{}' cannot have {}={}", spec.name, key, text),
                     fmt::format("give a whole number from {} to {}", smallest, kLargestParameter));
  }
  return value;
}

std::string Choice(const NetworkSpec& spec, const std::string& key, const std::vector<std::string>& choices) {
  const auto found = spec.parameters.find(key);
  if (found == spec.parameters.end()) return choices.front();
  if (std::find(choices.begin(), choices.end(), found->second) == choices.end()) {
    throw UsageError(fmt::format("the model '{}' cannot have {}={}", spec.name, key, found->second),
                     fmt::format("give {}={}", key, JoinAlternatives(choices)));
  }
  return found->second;
}

}  // namespace stallscope
