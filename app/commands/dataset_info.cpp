#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands/dataset.h"
#include "app/output.h"
#include "app/watched_work.h"
#include "stallscope/base/units.h"
#include "stallscope/input/dataset_check.h"
#include "stallscope/input/dataset_maker.h"
#include "stallscope/input/storage.h"
#include "stallscope/input/token_file.h"

namespace stallscope {
namespace {

struct InfoFlags {
  std::string path;
  bool decode = false;
  bool follow = false;
  OutputOptions output;
};

std::string Place(const Storage& storage) {
  return storage.name.empty() ? "disk" : storage.name;
}

Json ToJson(const Spread& spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"mean", spread.mean}, {"most", spread.most}};
}

int InfoOfTokens(const InfoFlags& flags, const std::vector<std::string>& argv) {
  const TokenFile file(flags.path);
  const std::string place = Place(StorageBelow(flags.path));
  if (flags.output.ShowText())
    fmt::print("{}: {} tokens of {} bytes, on {}\n", flags.path, file.size(), file.bytes_per_token(), place);
  Json document = DatasetDocument("stallscope.dataset-info/1", argv, 0);
  document.update({{"kind", "tokens"},
                   {"path", flags.path},
                   {"tokens", file.size()},
                   {"bytes_per_token", file.bytes_per_token()},
                   {"storage", place}});
  WriteJson(flags.output, document.dump(2) + "\n");
  return kExitOk;
}

void Print(const ImageFolder& folder, const DatasetCheck& check, const std::string& place) {
  fmt::print("{}: {} JPEGs in {} classes, {}, on {}\n", folder.root().string(), folder.size(),
             folder.classes().size(), FormatBytes(static_cast<double>(check.bytes)), place);
  fmt::print("file size   {} to {}, median {}, mean {}\n", FormatBytes(check.file_bytes.least),
             FormatBytes(check.file_bytes.most), FormatBytes(check.file_bytes.median),
             FormatBytes(check.file_bytes.mean));
  if (check.width.most > 0) {
    fmt::print(
        "pixels      {:.0f} to {:.0f} wide, median {:.0f}; {:.0f} to {:.0f} high, median {:.0f} ({} files)\n",
        check.width.least, check.width.most, check.width.median, check.height.least, check.height.most,
        check.height.median, check.measured);
  }
  if (folder.passed_over() > 0)
    fmt::print("passed over {} file(s) that are not called .jpg\n", folder.passed_over());
  for (const BadFile& bad : check.bad) fmt::print("bad         '{}' {}\n", bad.path, bad.reason);
}

int InfoOfImages(const InfoFlags& flags, const std::vector<std::string>& argv) {
  const ImageFolder folder = ImageFolder::List(flags.path, flags.follow);
  const std::string place = Place(StorageBelow(flags.path));
  const bool interrupted_make = WasInterrupted(flags.path);
  WatchedWork work(flags.output);
  const DatasetCheck check = CheckDataset(folder, flags.decode, UsableCores(), [&](std::size_t done) {
    return work.Continue([&] { return fmt::format("{} of {} files", done, folder.size()); });
  });
  if (flags.output.ShowText()) {
    Print(folder, check, place);
    if (interrupted_make)
      fmt::print("incomplete: `dataset make` was interrupted; run it again with --force\n");
  }
  Json document = DatasetDocument("stallscope.dataset-info/1", argv, 0);
  document.update({{"kind", "images"},
                   {"path", folder.root().string()},
                   {"images", folder.size()},
                   {"classes", folder.classes().size()},
                   {"bytes", check.bytes},
                   {"file_bytes", ToJson(check.file_bytes)},
                   {"measured", check.measured},
                   {"width", ToJson(check.width)},
                   {"height", ToJson(check.height)},
                   {"passed_over", folder.passed_over()},
                   {"decoded", flags.decode},
                   {"bad", BadFilesToJson(check.bad)},
                   {"incomplete", interrupted_make},
                   {"storage", place}});
  WriteJson(flags.output, document.dump(2) + "\n");
  if (const auto code = work.interrupted()) return *code;
  if (!check.bad.empty()) {
    throw Error(fmt::format("{} of {} files cannot be used: '{}' {}", check.bad.size(), check.measured,
                            check.bad.front().path, check.bad.front().reason),
                "remove or replace them; `dataset read` and `profile` put the next file in their place");
  }
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareDatasetInfo(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<InfoFlags>();
  app.add_option("path", flags->path, "a folder of class folders, or a token file")
      ->type_name("DIR")
      ->required();
  app.add_flag("--decode", flags->decode, "decode every file to its end, and name the bad ones");
  app.add_flag("--follow", flags->follow, "follow links that lead out of the folder");
  DeclareOutput(app, flags->output);
  return [flags, argv] {
    CheckJsonFile(flags->output);
    const bool is_file = std::filesystem::is_regular_file(flags->path);
    return is_file ? InfoOfTokens(*flags, argv) : InfoOfImages(*flags, argv);
  };
}

}  // namespace stallscope
