// What the fuzzer starts from, and what it once found, go through every parser again.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "stallscope/document/atomic_file.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

fs::path Folder(const char* kind, const FuzzTarget& target) {
  return fs::path(__FILE__).parent_path() / kind / target.name;
}

std::size_t Replay(const fs::path& folder, const FuzzTarget& target) {
  std::size_t files = 0;
  if (!fs::exists(folder)) return 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    EXPECT_NO_THROW(Parse(target, ReadFile(entry.path())));
    ++files;
  }
  return files;
}

TEST(FuzzTargets, EveryOneTakesItsSeeds) {
  for (const FuzzTarget& target : FuzzTargets())
    EXPECT_GT(Replay(Folder("corpus", target), target), 0U) << target.name;
}

TEST(FuzzTargets, WhatWasFoundOnceStaysMended) {
  for (const FuzzTarget& target : FuzzTargets()) Replay(Folder("regressions", target), target);
}

TEST(FuzzTargets, SeedsAreWhatTheirParserTakes) {
  // A seed that is refused at once leads the fuzzer nowhere: at least one of each must be taken.
  for (const FuzzTarget& target : FuzzTargets()) {
    std::string refusals;
    bool taken = false;
    for (const auto& entry : fs::directory_iterator(Folder("corpus", target))) {
      try {
        target.parse(ReadFile(entry.path()));
        taken = true;
      } catch (const std::exception& e) {
        refusals += std::string(e.what()) + "\n";
      }
    }
    EXPECT_TRUE(taken) << target.name << ": " << refusals;
  }
}

TEST(FuzzTargets, CutSeedsAreRefusedOrTakenAndNeverMore) {
  for (const FuzzTarget& target : FuzzTargets()) {
    for (const auto& entry : fs::directory_iterator(Folder("corpus", target))) {
      const std::string whole = ReadFile(entry.path());
      for (int piece = 1; piece < 8; ++piece)
        EXPECT_NO_THROW(Parse(target, whole.substr(0, whole.size() * piece / 8))) << entry.path();
    }
  }
}

}  // namespace
}  // namespace stallscope
