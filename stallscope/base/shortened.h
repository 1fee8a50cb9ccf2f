#pragma once

#include <string>
#include <string_view>

namespace stallscope {

/// A user's text as a sentence can quote it: bytes that would move a terminal's cursor are replaced by '?',
/// and of a long text the middle is left out, never within a code point.
std::string Shortened(std::string_view text, std::size_t most = 200);

}  // namespace stallscope
