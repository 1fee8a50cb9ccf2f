#include "stallscope/document/store.h"

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <memory>
#include <utility>

#include "app/command.h"
#include "app/document_header.h"
#include "app/output.h"
#include "app/subcommands.h"
#include "stallscope/base/error.h"
#include "stallscope/base/units.h"

namespace stallscope {
namespace {

constexpr std::size_t kMostModelColumns = 28;

struct StoreFlags {
  std::string folder;
  OutputOptions output;

  Store Open() const { return Store(StoreFolder(folder, ProcessEnvironment())); }
};

void DeclareStoreFolder(CLI::App& app, std::string& folder) {
  app.add_option("--store", folder,
                 "the folder of kept documents (default STALLSCOPE_STORE, else stallscope in the folder of "
                 "user data)")
      ->type_name("DIR");
}

/// "2026-11-16T15:54:44Z" without what a table does not need.
std::string ShortTime(const std::optional<std::string>& created) {
  if (!created) return "-";
  std::string text = created->substr(0, 16);
  if (text.size() > 10 && text[10] == 'T') text[10] = ' ';
  return text;
}

/// The name of a user's own network can be a long path; its end says most.
std::string ShortModel(const std::string& model) {
  if (model.size() <= kMostModelColumns) return model;
  return "..." + model.substr(model.size() - kMostModelColumns + 3);
}

void PrintRow(const StoreEntry& entry) {
  const std::string file = entry.path.filename().string();
  if (entry.unreadable) {
    fmt::print("{:<16}  unreadable: {}  {}\n", ShortTime(entry.created), *entry.unreadable, file);
  } else if (entry.profile) {
    const Profile& profile = *entry.profile;
    fmt::print("{:<16}  {:<28}  {:>7}  {:>9}  {:>9.1f}  {}\n", ShortTime(entry.created),
               ShortModel(profile.workload.model),
               fmt::format("{} x {}", profile.cluster.nodes, profile.cluster.devices_per_node),
               FormatSeconds(profile.step_time_s.mean), profile.samples_per_s.mean, file);
  } else {
    fmt::print("{:<16}  {:<28}  {:>7}  {:>9}  {:>9}  {}\n", ShortTime(entry.created),
               ShortModel(entry.model.value_or(*entry.schema)), "-", "-", "-", file);
  }
}

void Print(const Store& store, const std::vector<StoreEntry>& entries) {
  if (entries.empty()) {
    fmt::print("{} holds no document yet.\n", store.folder().string());
    return;
  }
  fmt::print("{:<16}  {:<28}  {:>7}  {:>9}  {:>9}  {}\n", "created (UTC)", "model", "devices", "step time",
             "samples/s", "file in " + store.folder().string());
  for (const StoreEntry& entry : entries) PrintRow(entry);
}

Json EntryToJson(const StoreEntry& entry) {
  Json json = {{"file", entry.path.string()}};
  const auto put = [&](const char* key, const std::optional<std::string>& value) {
    if (value) json[key] = *value;
  };
  put("schema", entry.schema);
  put("created", entry.created);
  put("host", entry.host);
  put("model", entry.model);
  if (entry.profile) {
    json["nodes"] = entry.profile->cluster.nodes;
    json["devices_per_node"] = entry.profile->cluster.devices_per_node;
    json["step_time_s"] = ToJson(entry.profile->step_time_s);
    json["samples_per_s"] = ToJson(entry.profile->samples_per_s);
  }
  put("unreadable", entry.unreadable);
  return json;
}

int ListStore(const StoreFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  const Store store = flags.Open();
  const std::vector<StoreEntry> entries = store.List();
  if (flags.output.ShowText()) Print(store, entries);
  Json document = DocumentHeader("stallscope.store/1", argv, 0);
  document["folder"] = store.folder().string();
  document["documents"] = Json::array();
  for (const StoreEntry& entry : entries) document["documents"].push_back(EntryToJson(entry));
  // Names of files may hold any bytes; a document is UTF-8.
  WriteJson(flags.output, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return kExitOk;
}

std::function<int()> DeclareStoreList(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<StoreFlags>();
  DeclareStoreFolder(app, flags->folder);
  DeclareOutput(app, flags->output);
  return [flags, argv] { return ListStore(*flags, argv); };
}

std::function<int()> DeclareStorePath(CLI::App& app, const std::vector<std::string>&) {
  const auto flags = std::make_shared<StoreFlags>();
  DeclareStoreFolder(app, flags->folder);
  return [flags]() -> int {
    fmt::print("{}\n", flags->Open().folder().string());
    return kExitOk;
  };
}

constexpr std::array kStoreCommands = {
    Command{"list", "Commands", "the kept documents, newest first", DeclareStoreList},
    Command{"path", "Commands", "the folder that holds them", DeclareStorePath},
};

}  // namespace

std::function<int()> DeclareStore(CLI::App& app, const std::vector<std::string>& argv) {
  app.footer("Example: stallscope compare $(stallscope store path)/*-resnet18-*.json");
  return DeclareSubcommands(app, argv, kStoreCommands);
}

}  // namespace stallscope
