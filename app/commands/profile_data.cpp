#include "app/commands/profile_data.h"

#include <fmt/format.h>

#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/engine/data_feed.h"
#include "stallscope/input/image_source.h"
#include "stallscope/network/network.h"

namespace stallscope {
namespace {

/// Asking for the size of every one of a million files takes longer than it is worth.
constexpr std::size_t kFilesAsked = 20'000;

/// What the network wants to be fed with.
struct Appetite {
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> sequence_length;
  int classes = 0;  ///< 0: its loss needs none
};

Appetite AppetiteOf(const TrainingConfig& training) {
  if (const auto& script = training.torchscript) {
    if (script->vocabulary) return {.sequence_length = script->sample_shape.front()};
    if (script->sample_shape.at(0) != 3 || script->sample_shape.at(1) != script->sample_shape.at(2)) {
      throw UsageError("--data needs images of 3 channels, as high as wide",
                       "give --input-shape as 3x224x224, or leave --data out");
    }
    return {.image_size = script->sample_shape.back(), .classes = script->classes};
  }
  const Network network = BuildNetwork(training.model, {.image_size = training.image_size,
                                                        .sequence_length = training.sequence_length,
                                                        .classes = training.classes});
  if (network.sample_kind == SampleKind::kTokens) return {.sequence_length = network.sample_shape.front()};
  return {.image_size = network.sample_shape.back(), .classes = network.classes};
}

std::int64_t BytesOf(const ImageFolder& folder) {
  const std::size_t step = std::max<std::size_t>(1, folder.size() / kFilesAsked);
  double bytes = 0;
  std::size_t asked = 0;
  for (std::size_t file = 0; file < folder.size(); file += step) {
    std::error_code code;
    const auto size = std::filesystem::file_size(folder.PathOf(file), code);
    if (code) continue;
    bytes += static_cast<double>(size);
    ++asked;
  }
  if (asked == 0) {
    throw UsageError(fmt::format("no file in '{}' can be looked at", folder.root().string()),
                     "check that you may read it");
  }
  return static_cast<std::int64_t>(bytes / static_cast<double>(asked) * static_cast<double>(folder.size()));
}

}  // namespace

std::optional<DatasetInfo> LookAtData(const ProfileOptions& options) {
  if (!options.data) return std::nullopt;
  const std::string& path = options.data->path;
  const Appetite appetite = AppetiteOf(options.training);
  const auto source = OpenDataset(path, appetite.image_size, appetite.sequence_length, options.data->follow);
  DatasetInfo info{.path = path, .kind = "tokens", .samples = static_cast<std::int64_t>(source->size())};
  if (const auto* images = dynamic_cast<const ImageSource*>(source.get())) {
    const auto classes = images->folder().classes().size();
    if (appetite.classes > 0 && classes > static_cast<std::size_t>(appetite.classes)) {
      throw UsageError(
          fmt::format("'{}' has {} classes, and the network tells {} apart", path, classes, appetite.classes),
          fmt::format("give --classes {}", classes));
    }
    info.kind = "images";
    info.bytes = BytesOf(images->folder());
  } else {
    info.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  }
  return info;
}

}  // namespace stallscope
