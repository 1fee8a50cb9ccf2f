#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// The known names nearest to a mistyped one, best first, at most `count`; empty where none is near.
std::vector<std::string> NearestNames(std::string_view wrong, const std::vector<std::string>& known,
                                      std::size_t count = 3);

/// "a, b or c".
std::string JoinAlternatives(const std::vector<std::string>& names);

}  // namespace stallscope
