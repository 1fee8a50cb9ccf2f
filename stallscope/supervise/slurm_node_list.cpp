#include "stallscope/supervise/slurm_node_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

/// More than any cluster has; a mistyped range must not fill the memory.
constexpr std::size_t kMostNodes = 1'000'000;

[[noreturn]] void Refuse(std::string_view what, std::string_view text) {
  throw UsageError(fmt::format("'{}' is no Slurm {}", text, what),
                   "start with srun, or unset the SLURM_ variables");
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool digits_only = !text.empty() && text.front() != '-';
  if (error != std::errc() || end != text.data() + text.size() || !digits_only) return std::nullopt;
  return value;
}

/// Splits at the commas that are not inside brackets.
std::optional<std::vector<std::string_view>> SplitOutsideBrackets(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == ']') {
      if (inside == (text[i] == '[')) return std::nullopt;
      inside = !inside;
    } else if (text[i] == ',' && !inside) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (inside) return std::nullopt;
  parts.push_back(text.substr(start));
  return parts;
}

/// "01-03,7" is 01, 02, 03 and 7: a leading zero tells the width.
std::optional<std::vector<std::string>> ExpandRanges(std::string_view text) {
  std::vector<std::string> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = range.find('-');
    const std::string_view low_text = range.substr(0, dash);
    const auto low = ParseNumber(low_text);
    const auto high = dash == std::string_view::npos ? low : ParseNumber(range.substr(dash + 1));
    if (!low || !high || *high < *low) return std::nullopt;
    if (*high - *low >= static_cast<std::int64_t>(kMostNodes) || numbers.size() > kMostNodes)
      return std::nullopt;
    for (std::int64_t value = *low; value <= *high; ++value) {
      numbers.push_back(fmt::format("{:0{}}", value, low_text.size()));
    }
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

/// One name, which may have several brackets: "rack[1-2]n[1-4]".
std::optional<std::vector<std::string>> ExpandName(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string> names{""};
  while (!text.empty()) {
    const std::size_t open = text.find('[');
    for (std::string& name : names) name += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find(']', open);
    const auto numbers = ExpandRanges(text.substr(open + 1, close - open - 1));
    if (!numbers || names.size() * numbers->size() > kMostNodes) return std::nullopt;
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& number : *numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    text.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

std::vector<std::string> ParseSlurmNodeList(std::string_view text) {
  const auto parts = SplitOutsideBrackets(text);
  if (!parts) Refuse("node list", text);
  std::vector<std::string> nodes;
  for (const std::string_view part : *parts) {
    const auto names = ExpandName(part);
    if (!names || nodes.size() > kMostNodes) Refuse("node list", text);
    nodes.insert(nodes.end(), names->begin(), names->end());
  }
  return nodes;
}

std::vector<int> ParseSlurmTasksPerNode(std::string_view text) {
  std::vector<int> tasks;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view entry = rest.substr(0, comma);
    const std::size_t open = entry.find("(x");
    const auto count = ParseNumber(entry.substr(0, open));
    std::optional<std::int64_t> repeats = 1;
    if (open != std::string_view::npos) {
      if (entry.back() != ')') Refuse("count of tasks per node", text);
      repeats = ParseNumber(entry.substr(open + 2, entry.size() - open - 3));
    }
    if (!count || !repeats || *count > 1'000'000 || *repeats > static_cast<std::int64_t>(kMostNodes)) {
      Refuse("count of tasks per node", text);
    }
    tasks.insert(tasks.end(), static_cast<std::size_t>(*repeats), static_cast<int>(*count));
    if (comma == std::string_view::npos) return tasks;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace stallscope
