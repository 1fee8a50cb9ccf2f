#pragma once

#include <string>
#include <string_view>

namespace stallscope {

/// --color auto|always|never.
enum class ColorChoice { kAuto, kAlways, kNever };

/// Throws UsageError where the name is none of the three.
ColorChoice ParseColorChoice(const std::string& name);

/// How text goes to a stream.
struct TextStyle {
  bool color = false;
  bool utf8 = true;
  int width = 80;  ///< columns
};

/// What the environment says about a stream. `is_terminal`: whether it is one.
/// auto: colour on a terminal, unless NO_COLOR is set and not empty (no-color.org) or TERM is "dumb".
bool UseColor(ColorChoice choice, bool is_terminal, const char* no_color, const char* term);

/// Whether the first set and non-empty of LC_ALL, LC_CTYPE and LANG names UTF-8.
bool LocaleIsUtf8(const char* lc_all, const char* lc_ctype, const char* lang);

/// The style for a file descriptor of this process: 1 for standard output, 2 for standard error.
TextStyle StyleFor(int descriptor, ColorChoice choice);

/// Columns of a UTF-8 text, one per code point.
int ColumnsOf(std::string_view text);

/// The text, padded with spaces to `columns`.
std::string PadRight(std::string_view text, int columns);
std::string PadLeft(std::string_view text, int columns);

/// The text, cut after `columns`; never within a code point.
std::string Shorten(std::string_view text, int columns);

/// The text at width-aware line breaks, every line after the first indented. Numbers keep their units.
std::string Wrap(const std::string& text, int width, int indent);

/// A horizontal bar of `share` of `columns`, in eighths of a block where the terminal can.
std::string Bar(double share, int columns, bool utf8);

}  // namespace stallscope
