// What users type: quantities with units, networks, machines to emulate, prices; what launchers say; first
// lines of scripts.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/catalog/catalog.h"
#include "stallscope/engine/bucket.h"
#include "stallscope/hook/shebang.h"
#include "stallscope/input/cache_verdict.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/law/sweep_cell.h"
#include "stallscope/network/network.h"
#include "stallscope/network/spec.h"
#include "stallscope/predict/gpu_speed.h"
#include "stallscope/predict/software_stack.h"
#include "stallscope/recommend/price_book.h"
#include "stallscope/supervise/launch_environment.h"
#include "stallscope/supervise/slurm_node_list.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

void Try(const std::function<void()>& parse) {
  try {
    parse();
  } catch (const Error&) {  // the next parser may take the word
  }
}

void ParseFirstLine(std::string_view bytes) {
  static const ScratchFile file("script");
  file.Write(bytes);
  ReadShebang(file.path());
}

/// "RANK=0 WORLD_SIZE=2" is an environment.
void ParseLauncher(const std::string& text) {
  ReadLaunchEnvironment([&](const std::string& name) -> std::optional<std::string> {
    const std::size_t found = text.find(name + "=");
    if (found == std::string::npos) return std::nullopt;
    const std::size_t begin = found + name.size() + 1;
    return text.substr(begin, text.find(' ', begin) - begin);
  });
}

}  // namespace

void ParseWords(std::string_view bytes) {
  static const Catalog catalog = Catalog::Load();
  const std::string text(bytes);
  if (const auto duration = ParseDuration(text)) FormatDuration(*duration);
  if (const auto size = ParseSize(text)) FormatBytes(size->value);
  if (const auto share = ParseShare(text)) FormatSeconds(*share);
  ParseRate(text);
  PriceChanges changes;
  for (const std::function<void()>& parse : std::vector<std::function<void()>>{
           [&] { ParseBucket(text); },
           [&] { ParseNetworkSpec(text); },
           [&] { BuildNetwork(text, {}); },
           [&] { ParseEmulate(text); },
           [&] { ParseCondition(text); },
           [&] { ParseDtype(text); },
           [&] { ParseStack(text, text, text); },
           [&] { ParseFusion(text); },
           [&] { ParseCacheState(text); },
           [&] { ParseSweepLink(text); },
           [&] { ParseLauncher(text); },
           [&] { ReadPrice(text, catalog, changes); },
           [&] { ReadDiscount(text, catalog, changes); },
           [&] { ParseSlurmNodeList(text); },
           [&] { ParseSlurmTasksPerNode(text); },
           [&] { ParseFirstLine(bytes); },
       })
    Try(parse);
}

}  // namespace stallscope
