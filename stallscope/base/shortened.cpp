#include "stallscope/base/shortened.h"

#include <algorithm>

namespace stallscope {
namespace {

constexpr std::string_view kLeftOut = " ... ";

bool IsInsideCodePoint(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

std::string Shortened(std::string_view text, std::size_t most) {
  std::string shown(text);
  if (text.size() > most) {
    std::size_t head = most / 2;
    std::size_t tail = text.size() - most / 2;
    while (head > 0 && IsInsideCodePoint(text, head)) --head;
    while (IsInsideCodePoint(text, tail)) ++tail;
    shown = std::string(text.substr(0, head)).append(kLeftOut).append(text.substr(tail));
  }
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7F; }, '?');
  return shown;
}

}  // namespace stallscope
