#pragma once

#include <string_view>

namespace stallscope {

/// The style sheet of the page: light and dark, narrow and wide, screen and paper.
std::string_view PageStyle();

}  // namespace stallscope
