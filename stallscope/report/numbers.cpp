#include "stallscope/report/numbers.h"

#include <fmt/core.h>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

const char* PlusMinus(const TextStyle& style) {
  return style.utf8 ? "±" : "+-";
}

}  // namespace

std::string TimeText(const Estimate& seconds, const TextStyle& style) {
  return fmt::format("{} {} {}", FormatSeconds(seconds.mean), PlusMinus(style),
                     FormatSeconds(seconds.HalfWidth()));
}

std::string ShareText(const Estimate& share, const TextStyle& style) {
  return fmt::format("{:.1f} % {} {:.1f} %", 100 * share.mean, PlusMinus(style), 100 * share.HalfWidth());
}

}  // namespace stallscope
