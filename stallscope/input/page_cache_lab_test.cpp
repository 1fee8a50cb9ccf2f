// What cold means for files of others, in memory, and under the eyes of other processes.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stallscope/base/error.h"
#include "stallscope/input/image_source.h"
#include "stallscope/input/jpeg_for_tests.h"
#include "stallscope/input/page_cache.h"
#include "stallscope/input/read_block.h"
#include "stallscope/input/sampler.h"
#include "stallscope/supervise/block_device.h"
#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr uid_t kNobody = 65534;

/// A block of all images of a folder: "cold, verified" or the state and the reason.
std::string ReadAll(const std::filesystem::path& folder, CacheState state) {
  const ImageSource source(ImageFolder::List(folder), 64);
  const ReadOptions options{.loader = {.workers = 2, .batch = 4}, .cache = state};
  const ReadResult result =
      ReadBlock(source, ShuffledEpoch(source.size(), 1, 0), options, [](std::size_t) { return true; });
  return result.cache.state + ", " + (result.cache.verified ? "verified" : result.cache.reason);
}

void BecomeNobody() {
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(1);
  // A process that changed its user may not look at its own /proc/self/io until this, or an exec.
  prctl(PR_SET_DUMPABLE, 1);
}

class PageCacheLab : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
    if (!WholeDiskBelow(folder_.path()))
      GTEST_SKIP() << folder_.path() << " lies on no disk: set TMPDIR to one";
    chmod(folder_.path().c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
  }

  std::string FirstFile() const { return ImageFolder::List(folder_.path()).PathOf(0); }

  TemporaryFolder folder_;
};

TEST_F(PageCacheLab, AUserWhoOwnsNoneOfTheFilesGetsThemColdAndWarm) {
  WriteImages(folder_.path(), 24, 2, 500, 375);
  OwnerProcess nobody([this](const OwnerProcess::Tell& tell) {
    BecomeNobody();
    tell(ResidentShare(FirstFile()) ? "asked mincore" : "did not ask mincore");
    tell(ReadAll(folder_.path(), CacheState::kCold));
    tell(ReadAll(folder_.path(), CacheState::kWarm));
    tell(ReadAll(folder_.path(), CacheState::kCold));
  });
  EXPECT_EQ(nobody.Hear(), "did not ask mincore");
  EXPECT_EQ(nobody.Hear(), "cold, verified");
  EXPECT_EQ(nobody.Hear(), "warm, verified");
  EXPECT_EQ(nobody.Hear(), "cold, verified");
}

TEST_F(PageCacheLab, AnUnreadableClassFolderIsNamedAndAnUnreadableFileIsABadOne) {
  WriteImages(folder_.path(), 4);
  chmod(FirstFile().c_str(), S_IRUSR);
  OwnerProcess nobody([this](const OwnerProcess::Tell& tell) {
    BecomeNobody();
    try {
      ReadAll(folder_.path(), CacheState::kAny);
    } catch (const Error& e) {
      tell(e.what());
    }
  });
  EXPECT_THAT(nobody.Hear(), HasSubstr("cannot be read (Permission denied)"));
  chmod((folder_.path() / "class_1").c_str(), S_IRWXU);
  OwnerProcess other([this](const OwnerProcess::Tell& tell) {
    BecomeNobody();
    try {
      ImageFolder::List(folder_.path());
    } catch (const Error& e) {
      tell(e.what() + (" | " + e.hint));
    }
  });
  EXPECT_THAT(other.Hear(), HasSubstr("class_1': Permission denied | ask its owner"));
}

TEST_F(PageCacheLab, FilesInMemoryAreNotCalledCold) {
  OwnerProcess other([this](const OwnerProcess::Tell& tell) {
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder_.path().c_str(), "tmpfs", 0, "size=64m") != 0) {
      tell("no mount");
      return;
    }
    WriteImages(folder_.path(), 8);
    tell(ReadAll(folder_.path(), CacheState::kCold));
    tell(ReadAll(folder_.path(), CacheState::kWarm));
  });
  const std::string cold = other.Hear();
  if (cold == "no mount") GTEST_SKIP() << "no file system may be mounted here";
  EXPECT_THAT(cold, StartsWith("in memory, the files lie on tmpfs"));
  EXPECT_EQ(other.Hear(), "warm, verified");
}

TEST_F(PageCacheLab, FilesThatAnotherProcessHasMappedAreNotCalledCold) {
  WriteImages(folder_.path(), 12, 2, 500, 375);
  OwnerProcess mapper([this](const OwnerProcess::Tell& tell) {
    const ImageFolder list = ImageFolder::List(folder_.path());
    std::size_t sum = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int file = open(list.PathOf(i).c_str(), O_RDONLY | O_CLOEXEC);
      const auto size = static_cast<std::size_t>(std::filesystem::file_size(list.PathOf(i)));
      const auto* bytes = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0));
      for (std::size_t at = 0; at < size; at += 4096) sum += static_cast<std::size_t>(bytes[at]);
    }
    tell(sum > 0 ? "mapped" : "empty");
  });
  ASSERT_EQ(mapper.Hear(), "mapped");
  const std::string verdict = ReadAll(folder_.path(), CacheState::kCold);
  EXPECT_THAT(verdict, Not(HasSubstr("verified")));
  EXPECT_THAT(verdict, HasSubstr("is mapped by process " + std::to_string(mapper.pid())));
  mapper.Kill();
  EXPECT_EQ(ReadAll(folder_.path(), CacheState::kCold), "cold, verified");
}

}  // namespace
}  // namespace stallscope
