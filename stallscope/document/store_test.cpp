#include "stallscope/document/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

std::string Golden() {
  return ReadFile(std::filesystem::path(__FILE__).parent_path() / "../../tests/golden/profile.json");
}

Environment Variables(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() { std::filesystem::create_directories(folder_); }
  ~StoreTest() override { std::filesystem::remove_all(folder_); }

  void Put(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("stallscope-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  const Store store_{folder_};
};

TEST(StoreFolder, TheFlagComesFirstThenTheVariablesThenHome) {
  const std::map<std::string, std::string> all = {
      {"STALLSCOPE_STORE", "/kept"}, {"XDG_DATA_HOME", "/xdg"}, {"HOME", "/home/ada"}};
  EXPECT_EQ(StoreFolder("mine", Variables(all)), "mine");
  EXPECT_EQ(StoreFolder("", Variables(all)), "/kept");
  EXPECT_EQ(StoreFolder("", Variables({{"XDG_DATA_HOME", "/xdg"}, {"HOME", "/home/ada"}})),
            "/xdg/stallscope");
  EXPECT_EQ(StoreFolder("", Variables({{"HOME", "/home/ada"}})), "/home/ada/.local/share/stallscope");
  EXPECT_THROW(StoreFolder("", Variables({})), UsageError);
}

TEST(StoreFolder, EmptyVariablesAndARelativeXdgFolderCountAsUnset) {
  EXPECT_EQ(StoreFolder(
                "", Variables({{"STALLSCOPE_STORE", ""}, {"XDG_DATA_HOME", "share"}, {"HOME", "/home/ada"}})),
            "/home/ada/.local/share/stallscope");
}

TEST(Slug, HoldsNothingThatAShellOrAFileSystemMinds) {
  EXPECT_EQ(Slug("ResNet18"), "resnet18");
  EXPECT_EQ(Slug("mlp:layers=3,width=64"), "mlp-layers-3-width-64");
  EXPECT_EQ(Slug("/home/ada/../my model (1).pt"), "my-model-1-.pt");
  EXPECT_EQ(Slug("größe"), "gr-e");
  EXPECT_EQ(Slug(std::string(300, 'x')).size(), 40U);
  EXPECT_EQ(Slug("///"), "unnamed");
  EXPECT_EQ(Slug(""), "unnamed");
}

TEST_F(StoreTest, WhatIsAddedIsListedWhole) {
  const auto path = store_.Add(Golden(), "2026-11-16T15:54:44Z", "profile", "resnet18");
  EXPECT_THAT(path.filename().string(), testing::MatchesRegex("20261116T155444Z-profile-resnet18-.*\\.json"));
  EXPECT_EQ(ReadFile(path), Golden());
  const auto entries = store_.List();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].path, path);
  EXPECT_EQ(entries[0].schema, "stallscope.profile/1");
  EXPECT_EQ(entries[0].created, "2026-11-16T15:54:44Z");
  EXPECT_EQ(entries[0].host, "amber");
  EXPECT_EQ(entries[0].model, "resnet18");
  EXPECT_EQ(entries[0].unreadable, std::nullopt);
  ASSERT_TRUE(entries[0].profile);
  EXPECT_DOUBLE_EQ(entries[0].profile->step_time_s.mean, 0.34);
}

TEST_F(StoreTest, TheFolderIsMadeWithItsParents) {
  const Store deep(folder_ / "a/b/c");
  EXPECT_TRUE(deep.List().empty());
  deep.Add(Golden(), "2026-11-16T15:54:44Z", "profile", "x");
  EXPECT_EQ(deep.List().size(), 1U);
  struct stat status {};
  ASSERT_EQ(stat(deep.folder().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U & ~0755U, 0U);
}

TEST_F(StoreTest, ManyWritersAtOnceEachGetANameOfTheirOwn) {
  // 4 processes with 4 threads add 5 documents each, all with the same time and label: 80 names.
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<std::thread> threads;
      for (int j = 0; j < 4; ++j) {
        threads.emplace_back([this] {
          for (int k = 0; k < 5; ++k) store_.Add(Golden(), "2026-11-16T15:54:44Z", "profile", "resnet18");
        });
      }
      for (std::thread& thread : threads) thread.join();
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto entries = store_.List();
  EXPECT_EQ(entries.size(), 80U);
  for (const StoreEntry& entry : entries) EXPECT_TRUE(entry.profile) << entry.path << *entry.unreadable;
  // No temporary file is left beside them.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 80);
}

TEST_F(StoreTest, WhatCannotBeUsedIsListedWithTheReason) {
  Json newer = Json::parse(Golden());
  newer["schema"] = "stallscope.profile/2";
  Put("a.json", newer.dump());
  Put("b.json", Golden().substr(0, 1000));
  Put("c.json", "");
  Put("d.txt", "dear diary");
  Put("e.json", "{\"schema\": \"other\"}");
  Put("f.json", "{\"schema\": \"stallscope.profile/1\", \"created\": 7}");
  Put(".stallscope-Xa81fc", Golden().substr(0, 1000));
  std::filesystem::create_directory(folder_ / "sub");
  std::map<std::string, std::string> reasons;
  for (const StoreEntry& entry : store_.List()) {
    EXPECT_FALSE(entry.profile);
    reasons[entry.path.filename().string()] = entry.unreadable.value_or("");
  }
  ASSERT_EQ(reasons.size(), 6U);
  EXPECT_EQ(reasons["a.json"],
            "it is a 'stallscope.profile/2', and this program reads 'stallscope.profile/1'");
  EXPECT_THAT(reasons["b.json"], HasSubstr("is not valid JSON"));
  EXPECT_EQ(reasons["c.json"], "line 1 is not valid JSON");
  EXPECT_EQ(reasons["d.txt"], "line 1 is not valid JSON");
  EXPECT_EQ(reasons["e.json"], "it is no document of stallscope");
  EXPECT_EQ(reasons["f.json"], "field 'tool' is missing");
}

TEST_F(StoreTest, TheNewestComesFirstAndWhatHasNoTimeLast) {
  const auto dated = [](const std::string& created) {
    Json document = Json::parse(Golden());
    document["created"] = created;
    return document.dump();
  };
  Put("a.json", dated("2026-01-01T00:00:00Z"));
  Put("b.json", "nonsense");
  Put("c.json", dated("2026-03-01T00:00:00Z"));
  Put("d.json", dated("2026-02-01T00:00:00Z"));
  std::string order;
  for (const StoreEntry& entry : store_.List()) order += entry.path.stem().string();
  EXPECT_EQ(order, "cdab");
}

TEST_F(StoreTest, ADocumentOfAnotherKindIsKeptToo) {
  Put("card.json",
      R"({"schema": "stallscope.machine/1", "created": "2026-01-01T00:00:00Z", "host": {"name": "amber"}})");
  const auto entries = store_.List();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].schema, "stallscope.machine/1");
  EXPECT_EQ(entries[0].host, "amber");
  EXPECT_FALSE(entries[0].model);
  EXPECT_FALSE(entries[0].profile);
  EXPECT_FALSE(entries[0].unreadable);
}

TEST_F(StoreTest, AFolderThatCannotBeWrittenSaysWhichFlagsHelp) {
  Put("file", "x");
  const Store blocked(folder_ / "file" / "store");
  try {
    blocked.Add(Golden(), "2026-11-16T15:54:44Z", "profile", "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("store"));
    EXPECT_THAT(error.hint, HasSubstr("--no-store"));
    EXPECT_THAT(error.hint, HasSubstr("--store DIR"));
  }
  EXPECT_THROW(Store(folder_ / "file").List(), Error);
}

}  // namespace
}  // namespace stallscope
