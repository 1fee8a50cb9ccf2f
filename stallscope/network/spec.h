#pragma once

#include <map>
#include <string>
#include <vector>

namespace stallscope {

/// A model as the user names it: "mlp:layers=64,width=512".
struct NetworkSpec {
  std::string text;
  std::string name;
  std::map<std::string, std::string> parameters;
};

/// Throws UsageError where the part behind the colon is no list of key=value.
NetworkSpec ParseNetworkSpec(const std::string& text);

/// Throws UsageError where the spec carries a parameter that is not among `known`.
void RequireKnownParameters(const NetworkSpec& spec, const std::vector<std::string>& known);

/// A whole number of at least `smallest`, or `fallback` where the spec does not give it.
int WholeNumber(const NetworkSpec& spec, const std::string& key, int fallback, int smallest);

/// One of `choices`; the first where the spec does not give it.
std::string Choice(const NetworkSpec& spec, const std::string& key, const std::vector<std::string>& choices);

}  // namespace stallscope
