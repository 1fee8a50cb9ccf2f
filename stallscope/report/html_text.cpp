#include "stallscope/report/html_text.h"

#include <fmt/format.h>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

bool IsForbiddenControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
}

/// What no shell gives a meaning to.
bool IsPlainWord(const std::string& word) {
  return !word.empty() && word.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "0123456789-_=+,./:@%") == std::string::npos;
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        if (IsForbiddenControl(c)) {
          escaped += "\uFFFD";
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

std::string EscapedSentence(std::string_view text) {
  std::string escaped = Escaped(text);
  const std::string_view space = " %";
  for (std::size_t at = escaped.find(space); at != std::string::npos; at = escaped.find(space, at)) {
    escaped.replace(at, space.size(), "\u00A0%");
  }
  return escaped;
}

std::string Number(std::string_view text) {
  return "<span class=\"number\">" + Escaped(text) + "</span>";
}

std::string TimeText(const Estimate& seconds) {
  return fmt::format("{} ± {}", FormatSeconds(seconds.mean), FormatSeconds(seconds.HalfWidth()));
}

std::string ShareText(const Estimate& share) {
  return fmt::format("{} ± {}", PercentText(share.mean), PercentText(share.HalfWidth()));
}

std::string PercentText(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string RateText(double bytes_per_s) {
  return FormatBytes(bytes_per_s) + "/s";
}

std::string CountText(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t end = digits.size(); end > first + 3; end -= 3) digits.insert(end - 3, 1, ',');
  return digits;
}

std::string Counted(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", CountText(count), noun, count == 1 ? "" : "s");
}

std::string ShellText(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    if (IsPlainWord(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

void FactList::Add(const char* term, const std::string& value) {
  rows_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, value);
}

std::string FactList::Html() const {
  return rows_.empty() ? "" : "<dl class=\"facts\">\n" + rows_ + "</dl>\n";
}

}  // namespace stallscope
