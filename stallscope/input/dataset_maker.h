#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace stallscope {

struct DatasetRecipe {
  std::size_t images = 2000;
  int width = 500;
  int height = 375;
  int classes = 10;
  std::uint64_t tokens = 0;
  std::uint64_t seed = 1;
};

struct MakeResult {
  std::size_t images = 0;
  std::uint64_t image_bytes = 0;
  std::uint64_t tokens = 0;
  bool complete = false;  ///< false where it was told to stop
};

/// Called with what is done and what there is to do; false: stop.
using MakeProgress = std::function<bool(std::size_t done, std::size_t all)>;

/// The file in a made folder that says what it was made from, and whether it is complete.
constexpr const char* kRecipeFile = "stallscope-dataset.json";
constexpr const char* kTokenFile = "tokens.u16";

/// Writes class folders of synthetic JPEGs, and a token file where tokens are asked for. The same recipe
/// gives the same bytes, whatever the number of threads. Every file appears whole or not at all. A folder
/// that is not empty is refused, unless `force` is set and a run of this function made it; its files are then
/// removed first. Throws Error.
MakeResult MakeDataset(const std::filesystem::path& folder, const DatasetRecipe& recipe, bool force,
                       int threads, const MakeProgress& progress);

/// Whether a made folder lacks files because making it was interrupted. False for folders of others.
bool WasInterrupted(const std::filesystem::path& folder);

}  // namespace stallscope
