#include "stallscope/hook/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/hook/scripts_for_tests.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kWithTorch[] =
    "#!/bin/sh\necho 'a greeting'\necho '{\"python\": [3, 12], \"torch\": \"2.3.1+cu121\", \"cuda\": "
    "true}'\n";
constexpr char kWithoutTorch[] = "#!/bin/sh\necho '{\"python\": [3, 8], \"torch\": null, \"cuda\": false}'\n";
constexpr char kBroken[] = "#!/bin/sh\necho 'no module named site' >&2\nexit 1\n";

/// A machine of fake interpreters.
class InterpreterTest : public testing::Test {
 protected:
  std::string Install(const std::string& path, const std::string& text) const {
    return MakeExecutable(folder_.path() / path, text);
  }
  InterpreterPlaces Places(const std::string& path_variable = "") const {
    return {.path_variable = path_variable,
            .home = folder_.path() / "home",
            .folder = folder_.path() / "project/deep",
            .root = {folder_.path()}};
  }
  /// "what is wrong / what to do".
  std::string Complaint(const std::string& interpreter) const {
    try {
      return "none: " + RequireTorch(interpreter, Places()).version;
    } catch (const Error& error) {
      return std::string(error.what()) + " / " + error.hint;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(InterpreterTest, TellsItsTorchInItsLastLine) {
  const auto torch = AskForTorch(Install("python3", kWithTorch));
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->version, "2.3.1+cu121");
  EXPECT_TRUE(torch->cuda);
  EXPECT_EQ(torch->python_major, 3);
  EXPECT_EQ(torch->python_minor, 12);
}

TEST_F(InterpreterTest, MayHaveNoTorch) {
  EXPECT_FALSE(AskForTorch(Install("python3", kWithoutTorch)));
}

TEST_F(InterpreterTest, ThatCannotBeAskedIsAnErrorWithoutTheQuestion) {
  const std::string broken = Install("broken", kBroken);
  EXPECT_EQ(Complaint(broken), "'" + broken +
                                   " -c ...' failed with exit code 1: no module named site"
                                   " / run it by hand to see why");
  EXPECT_THAT(Complaint("/no/such/python"), HasSubstr("cannot start '/no/such/python'"));
  EXPECT_THAT(Complaint(Install("parrot", "#!/bin/sh\necho hello\n")),
              HasSubstr("does not answer as Python"));
}

TEST_F(InterpreterTest, WithoutTorchLeadsToThoseThatHaveIt) {
  const std::string without = Install("bin/python3", kWithoutTorch);
  EXPECT_EQ(Complaint(without), "python3 (" + without + ") has no torch / install torch into it: " + without +
                                    " -m pip install torch");
  const std::string first = Install("usr/bin/python3", kWithTorch);
  const std::string second = Install("opt/conda/envs/b/bin/python", kWithTorch);
  EXPECT_EQ(Complaint(without), "python3 (" + without + ") has no torch / give --python " + first +
                                    " (torch 2.3.1+cu121) or " + second + " (torch 2.3.1+cu121)");
  EXPECT_EQ(Complaint(first), "none: 2.3.1+cu121");
}

TEST_F(InterpreterTest, IsLookedForWhereverPeopleKeepIt) {
  const std::string path = Install("tools/python3.9", "");
  const std::string near = Install("project/deep/.venv/bin/python3", "");
  const std::string above = Install("project/env/bin/python", "");
  const std::string system = Install("usr/bin/python3", "");
  const std::string pyenv = Install("home/.pyenv/versions/3.11.7/bin/python3", "");
  const std::string mini = Install("home/miniconda3/bin/python3", "");
  const std::string environment = Install("home/miniconda3/envs/train/bin/python3", "");
  const std::string conda = Install("opt/conda/bin/python", "");
  Install("usr/bin/python3-config", "");
  MakeFile(folder_.path() / "tools/python3", "not executable");
  EXPECT_THAT(FindInterpreters(Places("/no/such/folder:" + (folder_.path() / "tools").string())),
              ElementsAre(path, near, above, system, pyenv, mini, environment, conda));
}

TEST_F(InterpreterTest, IsNamedOnceForAllItsNames) {
  Install("usr/bin/python3.11", "");
  const std::string plain = folder_.path() / "usr/bin/python3";
  fs::create_symlink("python3.11", plain);
  fs::create_symlink("usr/bin", folder_.path() / "bin");
  EXPECT_THAT(FindInterpreters(Places((folder_.path() / "usr/bin").string())), ElementsAre(plain));
  const std::string other = folder_.path() / "bin/python3";
  EXPECT_THAT(FindInterpreters(Places((folder_.path() / "bin").string())), ElementsAre(other));
}

TEST_F(InterpreterTest, OfAVirtualEnvironmentIsNotTheOneThatItLinksTo) {
  const std::string system = Install("usr/bin/python3", "");
  const fs::path environment = folder_.path() / "project/.venv";
  MakeFile(environment / "pyvenv.cfg", "home = /usr/bin\n");
  fs::create_directories(environment / "bin");
  fs::create_symlink(system, environment / "bin/python");
  fs::create_symlink("python", environment / "bin/python3");
  EXPECT_THAT(FindInterpreters(Places()), ElementsAre((environment / "bin/python3").string(), system));
}

TEST_F(InterpreterTest, OfPyenvIsAskedItselfAndNotThroughItsShim) {
  Install("pyenv/shims/python3", kBroken);
  const std::string version = Install("pyenv/versions/3.12.1/bin/python3", "");
  EXPECT_THAT(FindInterpreters(Places((folder_.path() / "pyenv/shims").string())), ElementsAre(version));
}

TEST_F(InterpreterTest, ThatIsBrokenKeepsNobodyFromTheOthers) {
  Install("usr/bin/python2", kBroken);
  Install("usr/bin/python3", kWithoutTorch);
  const std::string good = Install("opt/conda/bin/python3", kWithTorch);
  const auto found = InterpretersWithTorch(Places());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].path, good);
  EXPECT_EQ(found[0].torch.version, "2.3.1+cu121");
  EXPECT_THAT(InterpretersWithTorch({.path_variable = "", .home = "", .folder = "", .root = {"/no/such"}}),
              IsEmpty());
}

/// Asked for real: a package that is called torch, on this machine's own Python.
class RealInterpreterTest : public InterpreterTest {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython)) GTEST_SKIP() << "there is no " << kPython;
  }
  /// The interpreter, with these folders before all others.
  std::string WithPackages(const std::string& folder) const {
    return Install("python", "#!/bin/sh\nPYTHONPATH='" + (folder_.path() / folder).string() + "' exec " +
                                 kPython + " \"$@\"\n");
  }

  static constexpr char kPython[] = "/usr/bin/python3";
};

TEST_F(RealInterpreterTest, ReadsTheVersionWithoutImportingTorch) {
  MakeFile(folder_.path() / "site/torch/__init__.py", "raise SystemExit('imported')\n");
  MakeFile(folder_.path() / "site/torch/version.py",
           "from typing import Optional\n__version__ = '2.4.0'\ncuda: Optional[str] = '12.1'\n");
  const auto torch = AskForTorch(WithPackages("site"));
  ASSERT_TRUE(torch);
  EXPECT_EQ(torch->version, "2.4.0");
  EXPECT_TRUE(torch->cuda);
  EXPECT_EQ(torch->python_major, 3);
}

TEST_F(RealInterpreterTest, TakesNothingElseThatIsCalledTorchForIt) {
  MakeFile(folder_.path() / "site/torch.py", "print('mine')\n");
  EXPECT_FALSE(AskForTorch(WithPackages("site")));
  // Not even where we are, unless the user put it into PYTHONPATH.
  MakeFile(folder_.path() / "here/torch/__init__.py", "");
  MakeFile(folder_.path() / "here/torch/version.py", "__version__ = '0.0.1'\n");
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path() / "here");
  const auto torch = AskForTorch(kPython);
  fs::current_path(before);
  EXPECT_TRUE(!torch || torch->version != "0.0.1");
}

TEST_F(RealInterpreterTest, OfThisMachineTellsWhatTorchItselfWould) {
  const auto torch = AskForTorch(kPython);
  if (!torch) GTEST_SKIP() << kPython << " has no torch";
  EXPECT_THAT(torch->version, testing::ContainsRegex("^[0-9]+\\.[0-9]+"));
  EXPECT_EQ(RequireTorch(kPython).version, torch->version);
}

}  // namespace
}  // namespace stallscope
