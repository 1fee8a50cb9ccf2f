// What users type: quantities with units, networks, machines to emulate, prices, lists of Slurm's, first
// lines.
#include <functional>
#include <string>
#include <vector>

#include "app/commands/emulate.h"
#include "stallscope/base/error.h"
#include "stallscope/base/units.h"
#include "stallscope/catalog/catalog.h"
#include "stallscope/engine/bucket.h"
#include "stallscope/hook/shebang.h"
#include "stallscope/ladder/condition.h"
#include "stallscope/network/network.h"
#include "stallscope/network/spec.h"
#include "stallscope/predict/gpu_speed.h"
#include "stallscope/predict/software_stack.h"
#include "stallscope/recommend/price_book.h"
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
           [&] { ReadPrice(text, catalog, changes); },
           [&] { ReadDiscount(text, catalog, changes); },
           [&] { ParseSlurmNodeList(text); },
           [&] { ParseSlurmTasksPerNode(text); },
           [&] { ParseFirstLine(bytes); },
       })
    Try(parse);
}

}  // namespace stallscope
