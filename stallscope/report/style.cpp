#include "stallscope/report/style.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

bool IsSet(const char* value) {
  return value != nullptr && *value != '\0';
}

/// Narrower than this not even single words fit. The table needs more, but progress, which is drawn over
/// again and again, must know the true width.
constexpr int kMinWidth = 20;
constexpr int kMaxWidth = 120;

int WidthOf(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp<int>(size.ws_col, kMinWidth, kMaxWidth);
  }
  return TextStyle{}.width;
}

/// Whether a word is a unit, perhaps with punctuation after it.
bool IsUnit(const std::string& word) {
  constexpr std::array<std::string_view, 13> kUnits = {"%",  "us", "ms", "s",  "min",  "h",   "B",
                                                       "kB", "MB", "GB", "TB", "MB/s", "GB/s"};
  const std::string_view unit = std::string_view(word).substr(0, word.find_first_of(",;:.)"));
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

/// The words of a text; a number stays together with its unit.
std::vector<std::string> WordsOf(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    const bool after_number =
        !words.empty() && std::isdigit(static_cast<unsigned char>(words.back().back())) != 0;
    if (after_number && IsUnit(word)) {
      words.back() += ' ' + word;
    } else {
      words.push_back(word);
    }
  }
  return words;
}

}  // namespace

ColorChoice ParseColorChoice(const std::string& name) {
  if (name == "auto") return ColorChoice::kAuto;
  if (name == "always") return ColorChoice::kAlways;
  if (name == "never") return ColorChoice::kNever;
  throw UsageError(fmt::format("--color cannot be '{}'", name), "use auto, always or never");
}

bool UseColor(ColorChoice choice, bool is_terminal, const char* no_color, const char* term) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return is_terminal && !IsSet(no_color) && !dumb;
}

bool LocaleIsUtf8(const char* lc_all, const char* lc_ctype, const char* lang) {
  for (const char* value : {lc_all, lc_ctype, lang}) {
    if (!IsSet(value)) continue;
    std::string name(value);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name.find("utf-8") != std::string::npos || name.find("utf8") != std::string::npos;
  }
  return false;
}

TextStyle StyleFor(int descriptor, ColorChoice choice) {
  const bool is_terminal = isatty(descriptor) == 1;
  return {.color = UseColor(choice, is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM")),
          .utf8 = LocaleIsUtf8(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG")),
          .width = WidthOf(descriptor)};
}

int ColumnsOf(std::string_view text) {
  // Bytes 10xxxxxx continue a code point.
  return static_cast<int>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string PadRight(std::string_view text, int columns) {
  const int missing = std::max(0, columns - ColumnsOf(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string PadLeft(std::string_view text, int columns) {
  const int missing = std::max(0, columns - ColumnsOf(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

std::string Shorten(std::string_view text, int columns) {
  std::size_t end = 0;
  for (int column = 0; end < text.size(); ++end) {
    const bool begins_code_point = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (begins_code_point && ++column > columns) break;
  }
  return std::string(text.substr(0, end));
}

std::string Wrap(const std::string& text, int width, int indent) {
  std::string wrapped;
  int column = 0;
  for (const std::string& word : WordsOf(text)) {
    const int length = ColumnsOf(word);
    if (column > 0 && column + 1 + length > width) {
      wrapped += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
      column = indent;
    } else if (column > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += length;
  }
  return wrapped;
}

std::string Bar(double share, int columns, bool utf8) {
  const double length = std::clamp(share, 0.0, 1.0) * columns;
  if (!utf8) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::lround(length * 8));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + kEighths[eighths % 8];
}

}  // namespace stallscope
