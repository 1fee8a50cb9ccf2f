#pragma once

#include <string>

namespace stallscope {

/// Seconds of CLOCK_MONOTONIC. It is the same for all processes of one machine, so that ranks can be
/// compared; its zero means nothing.
double MonotonicSeconds();

/// The wall clock as ISO 8601 in UTC: "2026-11-16T15:54:44Z".
std::string UtcNow();

/// The wall clock for names of folders, in local time: "20261116-155444".
std::string LocalTimeStamp();

}  // namespace stallscope
