#pragma once

namespace stallscope {

/// The whole life of one rank process: reads its configuration and its orders from standard input, speaks
/// on the event descriptor. Returns the exit code.
int RunRank();

}  // namespace stallscope
