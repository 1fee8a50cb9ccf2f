#pragma once

#include "app/output.h"

namespace stallscope {

/// `profile --list-models`, as a table or as JSON.
int ListModels(const OutputOptions& output);

}  // namespace stallscope
