#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "stallscope/base/environment.h"
#include "stallscope/supervise/child_process.h"
#include "stallscope/supervise/folder_shield.h"

namespace stallscope {

namespace fs = std::filesystem;

inline void Write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

inline std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Everything in a folder: names, modes, times and contents.
inline std::map<std::string, std::string> Snapshot(const fs::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat info {};
    EXPECT_EQ(lstat(entry.path().c_str(), &info), 0);
    const std::string content = entry.is_symlink()        ? fs::read_symlink(entry).string()
                                : entry.is_regular_file() ? Read(entry.path())
                                                          : "";
    entries[entry.path().lexically_relative(folder)] = std::to_string(info.st_mode) + " " +
                                                       std::to_string(info.st_mtim.tv_sec) + "." +
                                                       std::to_string(info.st_mtim.tv_nsec) + " " + content;
  }
  return entries;
}

inline void Fill(const fs::path& folder) {
  fs::create_directories(folder / "checkpoints/old");
  Write(folder / "train.py", "print('hello')\n");
  Write(folder / "log.txt", "first\n");
  Write(folder / "gone.txt", "soon\n");
  Write(folder / "name.txt", "renamed\n");
  Write(folder / "checkpoints/old/model.pt", "weights\n");
  fs::create_symlink("train.py", folder / "link");
  fs::permissions(folder / "log.txt", fs::perms::owner_read | fs::perms::owner_write);
}

/// Overwrites, appends, deletes, creates, renames, and does the same to folders.
inline constexpr char kEverything[] =
    "set -e; echo new > train.py; echo second >> log.txt; rm gone.txt; echo a > made.txt; mv name.txt x.txt;"
    "chmod 777 x.txt; mv checkpoints/old checkpoints/new; rm -r checkpoints/new; mkdir checkpoints/old;"
    "ls checkpoints/old; rm link; mkdir sub; echo b > sub/file; cat train.py log.txt made.txt x.txt sub/file;"
    "test ! -e gone.txt; test ! -e name.txt; pwd -P";
inline constexpr char kEverythingSaid[] = "new\nfirst\nsecond\na\nrenamed\nb\n";

/// What the script says, and how it ended where it failed.
inline std::string RunShell(ChildOptions options, const std::string& script) {
  options.argv = {"/bin/sh", "-c", "exec >&3 2>&3; " + script};
  ChildProcess child(options);
  const auto status = child.Wait(Seconds(20));
  if (!status) return "it did not end";
  std::array<char, 4096> text{};
  [[maybe_unused]] const ssize_t count = read(child.event_fd(), text.data(), text.size() - 1);
  return text.data() + (status->ok() ? "" : status->Text());
}

inline std::string RunIn(const FolderShield& shield, const std::string& script) {
  ChildOptions options;
  shield.Place(options);
  return RunShell(options, script);
}

/// A line instead of several, for a process that tells lines.
inline std::string OneLine(std::string text) {
  for (char& letter : text) letter = letter == '\n' ? ' ' : letter;
  return text;
}

/// While it lives, temporary folders are made in this one.
class TemporaryFoldersIn {
 public:
  explicit TemporaryFoldersIn(const fs::path& folder) : before_(ProcessEnvironment()("TMPDIR")) {
    setenv("TMPDIR", folder.c_str(), 1);
  }
  TemporaryFoldersIn(const TemporaryFoldersIn&) = delete;
  TemporaryFoldersIn& operator=(const TemporaryFoldersIn&) = delete;
  ~TemporaryFoldersIn() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_;
};

/// A folder to shield, with something of everything in it.
class FolderShieldLab : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = FolderShieldUnavailable()) GTEST_SKIP() << *reason;
    Fill(folder_.path());
  }

  TemporaryFolder folder_;
};

}  // namespace stallscope
