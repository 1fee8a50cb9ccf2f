#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stallscope {

using Seconds = std::chrono::duration<double>;

struct Bytes {
  double value = 0;
};

struct BytesPerSecond {
  double value = 0;
};

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds(size.value / rate.value);
}

/// Network "giga" is decimal: 100 Gbit/s is 12.5e9 B/s.
constexpr BytesPerSecond GigabitsPerSecond(double gbit) {
  return {gbit * 1e9 / 8};
}

/// "90s", "10m", "1.5h", "250ms"; nothing where the text is no duration.
std::optional<Seconds> ParseDuration(std::string_view text);
/// "25MB" is 25e6, "25MiB" is 25 * 2^20, "100" is bytes.
std::optional<Bytes> ParseSize(std::string_view text);
/// "1Gbit" and "100Mbit" are bits per second, "100MB/s" bytes per second.
std::optional<BytesPerSecond> ParseRate(std::string_view text);
/// "3%" is 0.03, "0.03" is 0.03.
std::optional<double> ParseShare(std::string_view text);

/// Three significant digits and a unit that fits: "412 ms", "1.25 s", "18.4 us".
std::string FormatSeconds(double seconds);
/// "46.8 MB": decimal, as everywhere.
std::string FormatBytes(double bytes);
/// For waits and limits: "45 s", "5 min", "1 h 20 min".
std::string FormatDuration(Seconds duration);

}  // namespace stallscope
