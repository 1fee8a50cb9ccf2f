#pragma once

#include <fmt/format.h>

#include "stallscope/base/error.h"

namespace stallscope::cost {

/// A job has at least one of what it counts.
inline void CheckCount(int count, const char* what) {
  if (count < 1) throw Error(fmt::format("{} {} cannot share gradients", count, what), "count at least one");
}

}  // namespace stallscope::cost
