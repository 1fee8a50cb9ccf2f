#include "stallscope/input/dataset_maker.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/input/jpeg_encoder.h"
#include "stallscope/input/parallel.h"
#include "stallscope/input/synthetic_image.h"
#include "stallscope/input/whole_file.h"
#include "stallscope/stats/random.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

/// GPT-2's vocabulary.
constexpr double kVocabulary = 50257;
constexpr const char* kSchema = "stallscope.dataset/1";

std::string ClassFolder(const fs::path& folder, int label) {
  return folder / fmt::format("class_{:04}", label);
}

void WriteRecipe(const fs::path& folder, const DatasetRecipe& recipe, bool complete) {
  const Json json = {{"schema", kSchema},       {"complete", complete},    {"images", recipe.images},
                     {"width", recipe.width},   {"height", recipe.height}, {"classes", recipe.classes},
                     {"tokens", recipe.tokens}, {"seed", recipe.seed}};
  WriteFileAtomically(folder / kRecipeFile, json.dump(2) + "\n");
}

/// What a made folder says of itself; nothing where we did not make it.
std::optional<Json> ReadRecipe(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder / kRecipeFile, code)) return std::nullopt;
  const Json json = Json::parse(ReadFile(folder / kRecipeFile), nullptr, false);
  if (!json.is_object() || json.value("schema", "") != kSchema) return std::nullopt;
  return json;
}

void RemoveEarlier(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("class_") || name == kTokenFile) fs::remove_all(entry.path());
  }
}

void PrepareFolder(const fs::path& folder, bool force) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), code.message()),
                "choose a folder that you may write to");
  }
  if (fs::is_empty(folder, code)) return;
  const bool ours = ReadRecipe(folder).has_value();
  if (ours && force) return RemoveEarlier(folder);
  if (ours) {
    throw UsageError(fmt::format("'{}' holds a data set already", folder.string()),
                     "choose another folder, or replace it with --force");
  }
  // --force is for sets that can be made again, not for somebody's data.
  throw UsageError(fmt::format("'{}' holds files that are not of `dataset make`", folder.string()),
                   "choose a new or an empty folder");
}

/// Words of a language: the n-th most frequent appears 1/n as often as the first (Zipf). The inverse of the
/// continuous distribution, 1 <= x <= V with density ~ 1/x, is x = V^u.
std::vector<std::uint8_t> MakeTokens(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * count);
  Random random(seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto token = static_cast<std::uint16_t>(std::pow(kVocabulary, random.Uniform()) - 1);
    bytes.push_back(static_cast<std::uint8_t>(token & 0xFF));
    bytes.push_back(static_cast<std::uint8_t>(token >> 8));
  }
  return bytes;
}

}  // namespace

MakeResult MakeDataset(const fs::path& folder, const DatasetRecipe& recipe, bool force, int threads,
                       const MakeProgress& progress) {
  PrepareFolder(folder, force);
  WriteRecipe(folder, recipe, false);
  if (recipe.images > 0) {
    for (int label = 0; label < recipe.classes; ++label) fs::create_directory(ClassFolder(folder, label));
  }
  std::atomic<std::uint64_t> bytes = 0;
  const auto classes = static_cast<std::size_t>(recipe.classes);
  const auto new_worker = [&]() -> std::function<void(std::size_t)> {
    return [&, image = RgbImage()](std::size_t index) mutable {
      FillSyntheticImage(Random(recipe.seed).Next() + index, recipe.width, recipe.height, image);
      const std::vector<std::uint8_t> jpeg = EncodeJpeg(image, {.quality = kSyntheticQuality});
      const int label = static_cast<int>(index % classes);
      WriteWholeFile(fmt::format("{}/image_{:07}.jpg", ClassFolder(folder, label), index), jpeg);
      bytes += jpeg.size();
    };
  };
  MakeResult result;
  result.images = ForEachInParallel(recipe.images, threads, new_worker,
                                    [&](std::size_t done) { return progress(done, recipe.images); });
  result.image_bytes = bytes;
  if (result.images < recipe.images) return result;
  if (recipe.tokens > 0) {
    WriteWholeFile(folder / kTokenFile, MakeTokens(recipe.tokens, recipe.seed));
    result.tokens = recipe.tokens;
  }
  WriteRecipe(folder, recipe, true);
  result.complete = true;
  return result;
}

bool WasInterrupted(const fs::path& folder) {
  const std::optional<Json> recipe = ReadRecipe(folder);
  return recipe && !recipe->value("complete", true);
}

}  // namespace stallscope
