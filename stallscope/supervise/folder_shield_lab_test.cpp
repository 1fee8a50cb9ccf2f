#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/supervise/folder_shield.h"
#include "stallscope/supervise/folder_shield_test_support.h"
#include "stallscope/supervise/process_test_support.h"

namespace stallscope {
namespace {

/// What this process sees mounted.
std::string Mounts() {
  return Read("/proc/self/mountinfo");
}

TEST_F(FolderShieldLab, WhateverAChildDoesTheRealFolderStaysAsItWas) {
  const auto before = Snapshot(folder_.path());
  ASSERT_EQ(before.size(), 8U);
  {
    const FolderShield shield(folder_.path());
    EXPECT_EQ(RunIn(shield, kEverything), kEverythingSaid + fs::canonical(folder_.path()).string() + "\n");
    EXPECT_EQ(Snapshot(folder_.path()), before);
  }
  EXPECT_EQ(Snapshot(folder_.path()), before);
}

TEST_F(FolderShieldLab, AChildFindsTheRealFilesAndTheFoldersMode) {
  fs::permissions(folder_.path(), fs::perms(0751));
  const FolderShield shield(folder_.path());
  EXPECT_EQ(RunIn(shield, "cat link checkpoints/old/model.pt; stat -c %a . log.txt"),
            "print('hello')\nweights\n751\n600\n");
}

TEST_F(FolderShieldLab, ChildrenOfOneShieldSeeEachOthersFiles) {
  const FolderShield shield(folder_.path());
  EXPECT_EQ(RunIn(shield, "echo 7 > port; rm gone.txt"), "");
  EXPECT_EQ(RunIn(shield, "cat port; ls gone.txt 2>/dev/null || echo none"), "7\nnone\n");
  const FolderShield other(folder_.path());
  EXPECT_EQ(RunIn(other, "cat gone.txt; ls port 2>/dev/null || echo none"), "soon\nnone\n");
}

TEST_F(FolderShieldLab, PathsThatAreAbsoluteAreShieldedToo) {
  const FolderShield shield(folder_.path());
  ChildOptions options;
  options.working_folder = "/";
  shield.Place(options);
  EXPECT_EQ(RunShell(options, "pwd; echo x > " + (folder_.path() / "made").string()), "/\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "made"));
}

TEST_F(FolderShieldLab, AChildWithoutAWorkingFolderStaysWhereWeAreButInside) {
  const FolderShield shield(folder_.path());
  ChildOptions options;
  shield.Place(options);
  options.working_folder.clear();
  const fs::path here = fs::current_path();
  fs::current_path(folder_.path() / "checkpoints");
  EXPECT_EQ(RunShell(options, "echo x > made; cat made ../log.txt"), "x\nfirst\n");
  fs::current_path(here);
  EXPECT_FALSE(fs::exists(folder_.path() / "checkpoints/made"));
}

TEST_F(FolderShieldLab, NothingIsLeftAtItsEnd) {
  const TemporaryFolder temporary;
  const std::string mounts = Mounts();
  pid_t holder = -1;
  {
    const TemporaryFoldersIn elsewhere(temporary.path());
    const FolderShield shield(folder_.path());
    holder = shield.holder();
    EXPECT_TRUE(IsRunning(holder));
    RunIn(shield, kEverything);
    EXPECT_EQ(Mounts(), mounts);
    EXPECT_FALSE(fs::is_empty(temporary.path()));
  }
  EXPECT_FALSE(IsRunning(holder));
  EXPECT_EQ(Mounts(), mounts);
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST_F(FolderShieldLab, NothingIsLeftAfterItsOwnerIsKilled) {
  const TemporaryFolder temporary;
  const auto before = Snapshot(folder_.path());
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    static const TemporaryFoldersIn elsewhere(temporary.path());
    static Watchdog watchdog;
    static FolderShield shield(folder_.path(), &watchdog);
    RunIn(shield, kEverything);
    ChildOptions options;
    options.argv = {"sleep", "100"};
    shield.Place(options);
    static ChildProcess child(options);
    tell(std::to_string(shield.holder()));
    tell(std::to_string(child.pid()));
  });
  const pid_t holder = std::stoi(owner.Hear());
  const pid_t child = std::stoi(owner.Hear());
  EXPECT_TRUE(IsRunning(holder));
  EXPECT_FALSE(fs::is_empty(temporary.path()));
  owner.Kill();
  EXPECT_TRUE(VanishesSoon(holder));
  EXPECT_TRUE(VanishesSoon(child));
  EXPECT_TRUE(BecomesTrue([&] { return fs::is_empty(temporary.path()); }));
  EXPECT_EQ(Snapshot(folder_.path()), before);
}

TEST(FolderShieldChecks, TheRootAndWhatIsNoFolderAreRefused) {
  EXPECT_THROW(FolderShield("/"), UsageError);
  EXPECT_THROW(FolderShield("/no/such/folder"), UsageError);
  EXPECT_THROW(FolderShield("/etc/passwd"), UsageError);
}

}  // namespace
}  // namespace stallscope
