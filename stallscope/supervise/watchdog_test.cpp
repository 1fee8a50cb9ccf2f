#include "stallscope/supervise/watchdog.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/temporary_folder.h"
#include "stallscope/supervise/undo.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, IsPrivateAndGoesWithItsContents) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700U);
    fs::create_directories(path / "deep/er");
    std::ofstream(path / "deep/er/file") << "x";
    fs::permissions(path / "deep", fs::perms::owner_read);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, LinksAreRemovedAndNotFollowed) {
  const TemporaryFolder precious;
  std::ofstream(precious.path() / "file") << "x";
  {
    const TemporaryFolder folder;
    fs::create_directory_symlink(precious.path(), folder.path() / "link");
  }
  EXPECT_TRUE(fs::exists(precious.path() / "file"));
}

TEST(TemporaryFolder, IsRemovedByTheWatchdogIfItsOwnerIsKilled) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    static Watchdog watchdog;
    static TemporaryFolder folder(&watchdog);
    std::ofstream(folder.path() / "file") << "x";
    tell(folder.path());
    tell(std::to_string(watchdog.pid()));
  });
  const fs::path path = owner.Hear();
  const pid_t watchdog = std::stoi(owner.Hear());
  ASSERT_TRUE(fs::exists(path));
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(path));
  EXPECT_TRUE(VanishesSoon(watchdog));
}

TEST(Watchdog, SurvivesSignalsToItsOwnersGroup) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    setpgid(0, 0);
    static Watchdog watchdog;
    static TemporaryFolder folder(&watchdog);
    tell(folder.path());
    tell(std::to_string(watchdog.pid()));
  });
  const fs::path path = owner.Hear();
  const pid_t watchdog = std::stoi(owner.Hear());
  kill(watchdog, SIGHUP);
  kill(watchdog, SIGINT);
  kill(-owner.pid(), SIGTERM);
  EXPECT_TRUE(VanishesSoon(path));
  EXPECT_TRUE(VanishesSoon(watchdog));
}

TEST(Watchdog, AfterAFarewellItDoesNothing) {
  const TemporaryFolder kept;
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    static std::optional<Watchdog> watchdog(std::in_place);
    static auto item = watchdog->RemoveTree(kept.path());
    const pid_t pid = watchdog->pid();
    watchdog.reset();
    tell(IsRunning(pid) ? "still there" : "gone");
  });
  EXPECT_EQ(owner.Hear(), "gone");
  EXPECT_TRUE(fs::exists(kept.path()));
}

TEST(Watchdog, WhatWasUnregisteredIsLeftAlone) {
  const TemporaryFolder kept;
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    static Watchdog watchdog;
    { const auto item = watchdog.RemoveTree(kept.path()); }
    static TemporaryFolder lost(&watchdog);
    tell(lost.path());
    tell(std::to_string(watchdog.pid()));
  });
  const fs::path lost = owner.Hear();
  const pid_t watchdog = std::stoi(owner.Hear());
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(watchdog));
  EXPECT_FALSE(fs::exists(lost));
  EXPECT_TRUE(fs::exists(kept.path()));
}

TEST(Watchdog, KeepsNoPipeOfItsOwnerOpen) {
  Pipe pipe = MakePipe();
  const Watchdog watchdog;
  pipe.write_end.Close();
  char letter = 0;
  EXPECT_EQ(read(pipe.read_end.get(), &letter, 1), 0) << "the end must come";
}

TEST(Undo, NeverKillsEverybody) {
  // A garbled group number must not become kill(-1) or our own group: the test is still alive after it.
  for (const char* text : {"", "0", "1", "-1", "x"}) UndoNow({.kind = kUndoGroup, .what = text});
  UndoNow({.kind = "unknown", .what = "/"});
}

}  // namespace
}  // namespace stallscope
