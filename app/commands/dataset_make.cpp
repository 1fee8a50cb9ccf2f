#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/commands/dataset.h"
#include "app/output.h"
#include "app/watched_work.h"
#include "stallscope/base/units.h"
#include "stallscope/input/dataset_maker.h"
#include "stallscope/input/jpeg_decoder.h"

namespace stallscope {
namespace {

constexpr std::int64_t kMostImages = 100'000'000;
constexpr std::int64_t kMostClasses = 100'000;
constexpr std::int64_t kMostTokens = 2'000'000'000;

struct MakeFlags {
  std::string folder;
  std::int64_t images = -1;  ///< not given: 2000, or none where tokens are asked for
  std::string size = "500x375";
  std::int64_t classes = 10;
  std::int64_t tokens = 0;
  std::uint64_t seed = 1;
  bool force = false;
  OutputOptions output;

  DatasetRecipe Recipe() const {
    DatasetRecipe recipe{
        .classes = static_cast<int>(classes), .tokens = static_cast<std::uint64_t>(tokens), .seed = seed};
    if (images >= 0) recipe.images = static_cast<std::size_t>(images);
    if (images < 0 && tokens > 0) recipe.images = 0;
    ReadSize(recipe);
    return recipe;
  }

  void Check() const {
    if (images != -1) CheckCount(images, 0, kMostImages, "--images");
    CheckCount(tokens, 0, kMostTokens, "--tokens");
    if (images == 0 && tokens == 0)
      throw UsageError("there is nothing to make", "give --images N or --tokens N");
    const auto made = static_cast<std::int64_t>(Recipe().images);
    if (made > 0) CheckCount(classes, 1, std::min(made, kMostClasses), "--classes");
    CheckJsonFile(output);
  }

 private:
  void ReadSize(DatasetRecipe& recipe) const {
    int end = 0;
    const int read = std::sscanf(size.c_str(), "%5dx%5d%n", &recipe.width, &recipe.height, &end);
    const bool fits = std::min(recipe.width, recipe.height) >= 1 &&
                      std::max(recipe.width, recipe.height) <= kLargestJpegSide;
    if (read != 2 || static_cast<std::size_t>(end) != size.size() || !fits) {
      throw UsageError(fmt::format("--size '{}' is no image size", size),
                       fmt::format("write it as 500x375, at most {0}x{0}", kLargestJpegSide));
    }
  }
};

void Print(const MakeFlags& flags, const DatasetRecipe& recipe, const MakeResult& result) {
  if (result.images > 0) {
    fmt::print("{} JPEGs of {}x{} in {} classes, {} in all, {} each\n", result.images, recipe.width,
               recipe.height, recipe.classes, FormatBytes(static_cast<double>(result.image_bytes)),
               FormatBytes(static_cast<double>(result.image_bytes) / static_cast<double>(result.images)));
  }
  if (result.tokens > 0) fmt::print("{} tokens in {}/{}\n", result.tokens, flags.folder, kTokenFile);
  if (!result.complete) fmt::print("interrupted: what is there is whole; make it again with --force\n");
}

int RunMake(const MakeFlags& flags, const std::vector<std::string>& argv) {
  flags.Check();
  const DatasetRecipe recipe = flags.Recipe();
  WatchedWork work(flags.output);
  const MakeResult result =
      MakeDataset(flags.folder, recipe, flags.force, UsableCores(), [&](std::size_t done, std::size_t all) {
        return work.Continue([&] { return fmt::format("{} of {} images", done, all); });
      });
  if (flags.output.ShowText()) Print(flags, recipe, result);
  Json document = DatasetDocument("stallscope.dataset-make/1", argv, recipe.seed);
  document.update({{"folder", flags.folder},
                   {"complete", result.complete},
                   {"images", result.images},
                   {"image_bytes", result.image_bytes},
                   {"width", recipe.width},
                   {"height", recipe.height},
                   {"classes", recipe.classes},
                   {"tokens", result.tokens}});
  WriteJson(flags.output, document.dump(2) + "\n");
  return work.interrupted().value_or(kExitOk);
}

}  // namespace

std::function<int()> DeclareDatasetMake(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<MakeFlags>();
  app.add_option("folder", flags->folder, "a new or an empty folder")->type_name("DIR")->required();
  app.add_option("--images", flags->images, "JPEGs (default 2000; none with --tokens alone)")->type_name("N");
  app.add_option("--size", flags->size, "pixels (default 500x375, about 85 kB each)")->type_name("WxH");
  app.add_option("--classes", flags->classes, "class folders (default 10)")->type_name("K");
  app.add_option("--tokens", flags->tokens, "also a file of so many uint16 tokens")->type_name("N");
  app.add_option("--seed", flags->seed, "the same seed gives the same bytes (default 1)")->type_name("N");
  app.add_flag("--force", flags->force, "replace a data set that this command made");
  DeclareOutput(app, flags->output);
  return [flags, argv] { return RunMake(*flags, argv); };
}

}  // namespace stallscope
