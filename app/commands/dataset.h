#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stallscope/document/json_fields.h"
#include "stallscope/input/loader.h"

namespace stallscope {

// The commands of `stallscope dataset`, declared as those of the top are.
std::function<int()> DeclareDatasetMake(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareDatasetInfo(CLI::App& app, const std::vector<std::string>& argv);
std::function<int()> DeclareDatasetRead(CLI::App& app, const std::vector<std::string>& argv);

/// What every document begins with.
Json DatasetDocument(const std::string& schema, const std::vector<std::string>& argv, std::uint64_t seed);
Json BadFilesToJson(const std::vector<BadFile>& bad);

/// Cores that this process may use.
int UsableCores();

/// Throws UsageError that names the flag.
void CheckCount(std::int64_t value, std::int64_t least, std::int64_t most, const char* flag);

}  // namespace stallscope
