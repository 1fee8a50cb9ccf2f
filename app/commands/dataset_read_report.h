#pragma once

#include <optional>

#include "stallscope/document/json_fields.h"
#include "stallscope/input/read_block.h"
#include "stallscope/input/worker_search.h"

namespace stallscope {

/// What `dataset read` found.
struct ReadReport {
  ReadResult result;
  ReadOptions options;
  std::optional<WorkerChoice> choice;  ///< only with --workers auto
  std::size_t samples_in_set = 0;
};

void PrintRead(const ReadReport& report);
Json ReadToJson(const ReadReport& report);

}  // namespace stallscope
