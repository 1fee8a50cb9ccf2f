#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "stallscope/base/error.h"
#include "stallscope/supervise/folder_shield.h"
#include "stallscope/supervise/folder_shield_test_support.h"
#include "stallscope/supervise/network_lab.h"
#include "stallscope/supervise/process_test_support.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

/// Whatever overlay's option string gives a meaning.
constexpr char kPunctuation[] = "a,b:c\\d e=f'g";

TEST_F(FolderShieldLab, NamesMayBeFullOfPunctuation) {
  const TemporaryFolder place;
  const fs::path folder = place.path() / kPunctuation;
  const fs::path temporary = place.path() / (std::string("t") + kPunctuation);
  fs::create_directory(temporary);
  fs::create_directory(folder);
  Fill(folder);
  const auto before = Snapshot(folder);
  {
    const TemporaryFoldersIn elsewhere(temporary);
    const FolderShield shield(folder);
    EXPECT_EQ(RunIn(shield, kEverything), kEverythingSaid + fs::canonical(folder).string() + "\n");
  }
  EXPECT_EQ(Snapshot(folder), before);
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(FolderShieldLab, TheTemporaryFolderMayBeInTheFolderItself) {
  const fs::path temporary = folder_.path() / "tmp";
  fs::create_directory(temporary);
  {
    const TemporaryFoldersIn elsewhere(temporary);
    const FolderShield shield(folder_.path());
    EXPECT_THAT(RunIn(shield, kEverything), HasSubstr(kEverythingSaid));
    EXPECT_EQ(RunIn(shield, "find . -type f | sort; ls tmp/*; echo x > tmp/mine"),
              "./log.txt\n./made.txt\n./sub/file\n./train.py\n./x.txt\n");
  }
  EXPECT_TRUE(fs::is_empty(temporary));
  EXPECT_EQ(Read(folder_.path() / "log.txt"), "first\n");
  EXPECT_FALSE(fs::exists(folder_.path() / "made.txt"));
}

/// In a process with mounts of its own, so that nothing of it can be left.
TEST_F(FolderShieldLab, WhatIsMountedBelowIsThereAndIsShieldedToo) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting something below the folder needs root";
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    const fs::path data = folder_.path() / "data set";
    fs::create_directory(data);
    Write(folder_.path() / "single", "covered");
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", data.c_str(), "tmpfs", 0, nullptr) != 0 ||
        mount("/etc/passwd", (folder_.path() / "single").c_str(), nullptr, MS_BIND, nullptr) != 0) {
      return tell("cannot mount");
    }
    Write(data / "image", "pixels");
    std::string heard;
    {
      const FolderShield shield(folder_.path());
      heard = RunIn(shield,
                    "cat 'data set/image'; echo x > 'data set/image'; grep -c ^root: single;"
                    "(echo x >> single) 2>/dev/null || echo ' only to read'");
    }
    tell(OneLine(heard) + Read(data / "image"));
  });
  EXPECT_EQ(owner.Hear(), "pixels1  only to read pixels");
}

TEST_F(FolderShieldLab, ChangesAreKeptInMemoryWhereTheTemporaryFolderIsOnAnOverlay) {
  if (geteuid() != 0) GTEST_SKIP() << "living on an overlay needs root";
  const TemporaryFolder other;
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    std::string heard = "cannot live there";
    {
      const FolderShield overlay(other.path());
      ChildOptions options;
      overlay.Place(options);
      if (setns(*options.mount_namespace, CLONE_NEWNS) == 0) {
        const TemporaryFoldersIn elsewhere(other.path());
        const FolderShield shield(folder_.path());
        heard = RunIn(shield, kEverything);
      }
    }
    tell(OneLine(heard));
  });
  EXPECT_THAT(owner.Hear(), testing::StartsWith("new first second a renamed b /"));
  EXPECT_EQ(Read(folder_.path() / "log.txt"), "first\n");
}

TEST_F(FolderShieldLab, RootMayRenameAFolderThatWasThereBefore) {
  if (geteuid() != 0) GTEST_SKIP() << "a user's overlay cannot do it";
  const FolderShield shield(folder_.path());
  OwnerProcess owner([&](const OwnerProcess::Tell& tell) {
    ChildOptions options;
    shield.Place(options);
    if (setns(*options.mount_namespace, CLONE_NEWNS) != 0) return tell("cannot live there");
    // Not by mv, which would copy instead.
    fs::rename(folder_.path() / "checkpoints", folder_.path() / "kept");
    tell(OneLine(Read(folder_.path() / "kept/old/model.pt")));
  });
  EXPECT_EQ(owner.Hear(), "weights ");
  EXPECT_FALSE(fs::exists(folder_.path() / "kept"));
}

TEST_F(FolderShieldLab, AChildMayLiveOnAHostOfANetworkLabToo) {
  if (const auto reason = NetworkLabUnavailable()) GTEST_SKIP() << *reason;
  const NetworkLab lab(2);
  const FolderShield shield(folder_.path(), nullptr, lab.user_namespace());
  ChildOptions options;
  lab.PlaceOn(1, options);
  shield.Place(options);
  EXPECT_THAT(RunShell(options, "echo x > made; cat made log.txt; ip -brief address show dev lab0"),
              testing::AllOf(HasSubstr("x\nfirst\n"), HasSubstr("10.77.0.2/24")));
  EXPECT_FALSE(fs::exists(folder_.path() / "made"));
}

/// Overlays in user namespaces came with Linux 5.11.
bool KernelIsOld() {
  utsname kernel{};
  int major = 0;
  int minor = 0;
  return uname(&kernel) != 0 || std::sscanf(kernel.release, "%d.%d", &major, &minor) != 2 ||
         std::pair(major, minor) < std::pair(5, 11);
}

/// As an ordinary user, who has a folder: what the script says there, and whether the folder stayed as it
/// was.
void ShieldAsNobody(const OwnerProcess::Tell& tell) {
  const bool ordinary = setgroups(0, nullptr) == 0 && setresgid(65534, 65534, 65534) == 0 &&
                        setresuid(65534, 65534, 65534) == 0;
  prctl(PR_SET_DUMPABLE, 1);  // setuid cleared it; a process of an ordinary user has it
  if (!ordinary) return tell("cannot become an ordinary user");
  std::string heard;
  try {
    NamespaceHolder(HolderPlan{
        .space = Space::kMounts, .privilege = Privilege::kUserNamespace, .purpose = "make a user namespace"});
    const TemporaryFolder folder;
    Fill(folder.path());
    const auto before = Snapshot(folder.path());
    {
      const FolderShield shield(folder.path());
      heard = RunIn(shield, std::string(kEverything) + "; id -u; id -g; stat -c %u . made.txt");
    }
    if (Snapshot(folder.path()) != before) heard += "the folder changed";
  } catch (const Error& error) {
    heard = error.what();
  }
  tell(OneLine(heard));
}

TEST(FolderShieldOfAUser, HidesChangesAndKeepsTheUserWhoItIs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else; the other tests ran as a user";
  if (KernelIsOld()) GTEST_SKIP() << "a user's overlay needs Linux 5.11";
  OwnerProcess owner(ShieldAsNobody);
  const std::string heard = owner.Hear();
  if (heard.find("cannot make a user namespace") != std::string::npos) GTEST_SKIP() << heard;
  EXPECT_THAT(heard, testing::StartsWith("new first second a renamed b /"));
  EXPECT_THAT(heard, testing::EndsWith(" 65534 65534 65534 65534 "));
}

}  // namespace
}  // namespace stallscope
