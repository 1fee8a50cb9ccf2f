#include "app/commands/dataset.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/command.h"
#include "app/document_header.h"
#include "app/subcommands.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/cpu_sets.h"

namespace stallscope {
namespace {

constexpr std::array kDatasetCommands = {
    Command{"make", "Commands", "write class folders of photograph-like JPEGs, or a token file",
            DeclareDatasetMake},
    Command{"info", "Commands", "count the files, and find the bad ones", DeclareDatasetInfo},
    Command{"read", "Commands", "drive the loader alone: how fast can this machine feed training?",
            DeclareDatasetRead},
};

}  // namespace

Json DatasetDocument(const std::string& schema, const std::vector<std::string>& argv, std::uint64_t seed) {
  return DocumentHeader(schema, argv, seed);
}

Json BadFilesToJson(const std::vector<BadFile>& bad) {
  Json list = Json::array();
  for (const BadFile& file : bad) list.push_back({{"file", file.path}, {"reason", file.reason}});
  return list;
}

int UsableCores() {
  return static_cast<int>(AllowedCpus().size());
}

void CheckCount(std::int64_t value, std::int64_t least, std::int64_t most, const char* flag) {
  if (value >= least && value <= most) return;
  throw UsageError(fmt::format("{} {} cannot be meant", flag, value),
                   fmt::format("give {} to {}", least, most));
}

std::function<int()> DeclareDataset(CLI::App& app, const std::vector<std::string>& argv) {
  app.footer(
      "Example: stallscope dataset make /data/photos --images 2000 && stallscope dataset read /data/photos");
  return DeclareSubcommands(app, argv, kDatasetCommands);
}

}  // namespace stallscope
