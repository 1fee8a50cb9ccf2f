#include "stallscope/predict/gpu_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "stallscope/base/error.h"
#include "stallscope/base/names.h"

namespace stallscope {
namespace {

struct UsualBoard {
  std::string_view name;
  const char* gpu;
};

/// The board that is rented most under the chip's name.
constexpr std::array kUsualBoards = {
    UsualBoard{"PASCAL", "P100-PCIE-16GB"},
    UsualBoard{"P100", "P100-PCIE-16GB"},
    UsualBoard{"V100", "V100-SXM2-16GB"},
    UsualBoard{"V100-32GB", "V100-SXM2-32GB"},
    UsualBoard{"V100-SXM2", "V100-SXM2-16GB"},
    UsualBoard{"V100-SXM3-32GB", "V100-SXM2-32GB"},
    UsualBoard{"V100-PCIE", "V100-PCIE-16GB"},
    UsualBoard{"V100-PCIE-32GB", "V100-PCIE-16GB"},
    UsualBoard{"A100", "A100-SXM4-40GB"},
    UsualBoard{"A100-40GB", "A100-SXM4-40GB"},
    UsualBoard{"A100-80GB", "A100-SXM4-80GB"},
    UsualBoard{"A100-PCIE", "A100-PCIE-40GB"},
    UsualBoard{"H100", "H100-SXM5-80GB"},
    UsualBoard{"H100-SXM5", "H100-SXM5-80GB"},
    UsualBoard{"H100-SXM", "H100-SXM5-80GB"},
    UsualBoard{"H100-80GB", "H100-SXM5-80GB"},
    UsualBoard{"H100-PCIE", "H100-PCIE-80GB"},
    UsualBoard{"H200", "H200-SXM-141GB"},
    UsualBoard{"B200", "B200-SXM"},
    UsualBoard{"B300", "B300-SXM"},
};

/// Upper case, without the vendor's words, blanks as hyphens: "NVIDIA Tesla V100" is "V100".
std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name)
    plain += c == ' ' || c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string word : {"NVIDIA-", "TESLA-", "GEFORCE-", "QUADRO-"}) {
    if (plain.starts_with(word)) plain.erase(0, word.size());
  }
  return plain;
}

const Gpu* ByPlainName(const Catalog& catalog, const std::string& plain) {
  const auto& gpus = catalog.gpus();
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) {
    const std::string known = Plain(gpu.name);
    return known == plain || known == "RTX-" + plain;
  });
  return found == gpus.end() ? nullptr : &*found;
}

}  // namespace

std::optional<ResolvedGpu> ResolveGpu(const Catalog& catalog, std::string_view name) {
  const std::string plain = Plain(name);
  if (const Gpu* gpu = ByPlainName(catalog, plain)) return ResolvedGpu{gpu, false};
  for (const UsualBoard& board : kUsualBoards) {
    if (board.name != plain) continue;
    if (const Gpu* gpu = catalog.GpuOrNull(board.gpu)) return ResolvedGpu{gpu, true};
  }
  return std::nullopt;
}

const Gpu& GpuNamed(const Catalog& catalog, std::string_view name) {
  if (const std::optional<ResolvedGpu> resolved = ResolveGpu(catalog, name)) return *resolved->gpu;
  std::vector<std::string> known;
  for (const Gpu& gpu : catalog.gpus()) known.push_back(gpu.name);
  for (const UsualBoard& board : kUsualBoards) known.emplace_back(board.name);
  const std::vector<std::string> near = NearestNames(Plain(name), known);
  throw UsageError(fmt::format("the catalog has no GPU '{}'", name),
                   near.empty() ? "see `stallscope catalog list gpus`"
                                : fmt::format("did you mean {}?", JoinAlternatives(near)));
}

GpuLookup SpeedsOf(const Catalog& catalog) {
  return [catalog](const std::string& name) { return SpeedOf(catalog.FindGpu(name)); };
}

}  // namespace stallscope
