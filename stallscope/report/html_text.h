#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallscope/document/estimate.h"

namespace stallscope {

/// Text as HTML shows it, in content and in quoted attributes. Control characters, which HTML forbids,
/// become U+FFFD.
std::string Escaped(std::string_view text);

/// Escaped, and no line breaks between a number and its "%".
std::string EscapedSentence(std::string_view text);
/// Escaped, on one line.
std::string Number(std::string_view text);

/// "250 ms ± 5.00 ms".
std::string TimeText(const Estimate& seconds);
/// "31.2 % ± 0.5 %".
std::string ShareText(const Estimate& share);
/// "31.2 %".
std::string PercentText(double share);
/// "83.5 MB/s".
std::string RateText(double bytes_per_s);
/// "11,689,512".
std::string CountText(std::int64_t count);
/// "1 machine", "2 machines".
std::string Counted(std::int64_t count, const std::string& noun);

/// The arguments as a shell would take them.
std::string ShellText(const std::vector<std::string>& argv);

/// Terms and what is known of them. What is absent in the document is absent on the page.
class FactList {
 public:
  /// `value` is HTML.
  void Add(const char* term, const std::string& value);
  template <typename T, typename Show>
  void AddIf(const char* term, const std::optional<T>& value, Show show) {
    if (value) Add(term, show(*value));
  }

  /// Empty where nothing was added.
  std::string Html() const;

 private:
  std::string rows_;
};

}  // namespace stallscope
