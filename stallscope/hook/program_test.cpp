#include "stallscope/hook/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/hook/path_search.h"
#include "stallscope/hook/scripts_for_tests.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

/// A folder of programs, which is the PATH, and a script.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() : bin_(folder_.path() / "bin"), script_(MakeFile(folder_.path() / "train.py", "pass\n")) {
    for (const char* name : {"python3", "python", "python3.11", "pypy3"}) {
      MakeExecutable(bin_ / name, "#!/bin/sh\n");
    }
  }

  std::string Bin(const std::string& name) const { return bin_ / name; }
  /// An executable in the PATH.
  std::string Install(const std::string& name, const std::string& text) const {
    return MakeExecutable(bin_ / name, text);
  }
  Program Read(const Words& words, const std::string& python = "") const {
    return ReadProgram(words, python, bin_.string());
  }
  /// "what is wrong / what to do".
  std::string Complaint(const Words& words, const std::string& python = "") const {
    try {
      return "none: " + Read(words, python).name;
    } catch (const UsageError& error) {
      return std::string(error.what()) + " / " + error.hint;
    }
  }

  TemporaryFolder folder_;
  fs::path bin_;
  std::string script_;
};

TEST_F(ProgramTest, AScriptIsRunByThePythonOfThePath) {
  const Program program = Read({script_, "--epochs", "1"});
  EXPECT_THAT(program.argv, ElementsAre(Bin("python3"), script_, "--epochs", "1"));
  EXPECT_EQ(program.interpreter, Bin("python3"));
  EXPECT_EQ(program.name, "train.py");
  fs::remove(bin_ / "python3");
  EXPECT_EQ(Read({script_}).interpreter, Bin("python"));
  fs::remove(bin_ / "python");
  EXPECT_THAT(Complaint({script_}), HasSubstr("there is no python3 in PATH / give one with --python"));
}

TEST_F(ProgramTest, AScriptIsRunByTheChosenPython) {
  const Program program = Read({script_, "-u"}, "pypy3");
  EXPECT_THAT(program.argv, ElementsAre(Bin("pypy3"), script_, "-u"));
  EXPECT_EQ(program.interpreter, Bin("pypy3"));
  EXPECT_THAT(Complaint({script_}, "/no/such/python"),
              HasSubstr("there is no interpreter '/no/such/python'"));
}

TEST_F(ProgramTest, AMissingScriptIsNamedWithWhatIsNear) {
  const std::string missing = folder_.path() / "trian.py";
  EXPECT_THAT(Complaint({missing}), HasSubstr("there is no file '" + missing + "' / did you mean train.py?"));
  EXPECT_THAT(Complaint({"python3", missing}), HasSubstr("there is no file '" + missing + "'"));
  EXPECT_THAT(Complaint({"/no/such/folder/x.py"}), HasSubstr("paths start at the current folder, /"));
}

TEST_F(ProgramTest, TheInterpreterMayBeTyped) {
  const Program program = Read({"python3.11", script_, "--lr", "0.1"});
  EXPECT_THAT(program.argv, ElementsAre(Bin("python3.11"), script_, "--lr", "0.1"));
  EXPECT_EQ(program.interpreter, Bin("python3.11"));
  EXPECT_EQ(program.name, "train.py");
  EXPECT_EQ(Read({Bin("pypy3"), script_}).interpreter, Bin("pypy3"));
  EXPECT_THAT(Complaint({"python3.99", script_}), HasSubstr("there is no interpreter 'python3.99'"));
}

TEST_F(ProgramTest, TwoInterpretersMustBeTheSame) {
  EXPECT_EQ(Read({"python3", script_}, Bin("python3")).interpreter, Bin("python3"));
  EXPECT_EQ(Read({"python3", script_}, bin_ / "../bin/python3").interpreter, Bin("python3"));
  EXPECT_THAT(Complaint({"python3", script_}, "python3.11"),
              HasSubstr("two interpreters: --python " + Bin("python3.11") + " and python3"));
}

TEST_F(ProgramTest, AVirtualEnvironmentsInterpreterStaysItself) {
  const fs::path link = folder_.path() / "venv/bin/python";
  fs::create_directories(link.parent_path());
  fs::create_symlink(bin_ / "python3", link);
  EXPECT_EQ(Read({link, script_}).interpreter, link.string());
  EXPECT_THAT(Complaint({link, script_}, "python3"), HasSubstr("two interpreters"));
}

TEST_F(ProgramTest, TheNameIsFoundBehindTheInterpretersOptions) {
  for (const Words& options : std::vector<Words>{{"-u"},
                                                 {"-X", "dev"},
                                                 {"-Xdev", "-uB"},
                                                 {"-uW", "ignore"},
                                                 {"-Wignore"},
                                                 {"--check-hash-based-pycs", "never"},
                                                 {"-OO", "-s", "-P", "--"}}) {
    Words words = {"python3"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(script_);
    words.push_back("-I");  // the script's own
    EXPECT_EQ(Read(words).name, "train.py") << options.front();
    EXPECT_EQ(Read(words).argv.size(), words.size());
  }
  EXPECT_EQ(Read({"python3", "-m", "package.train", "-S"}).name, "package.train");
  EXPECT_EQ(Read({"python3", "-umpackage.train"}).name, "package.train");
  EXPECT_EQ(Read({"python3", "-c", "print(1)"}).name, "-c");
}

TEST_F(ProgramTest, AnInterpreterNeedsAProgram) {
  for (const Words& words : std::vector<Words>{
           {"python3"}, {"python3", "-u"}, {"python3", "-"}, {"python3", "-m"}, {"python3", "--"}}) {
    EXPECT_THAT(Complaint(words), HasSubstr("no program for python3 / give it a script")) << words.back();
  }
}

TEST_F(ProgramTest, OptionsThatKeepTheHookOutAreRefused) {
  EXPECT_THAT(Complaint({"python3", "-I", script_}), HasSubstr("python -I cannot be measured"));
  EXPECT_THAT(Complaint({"python3", "-I", script_}), HasSubstr("leave -I out"));
  EXPECT_THAT(Complaint({"python3", "-E", script_}), HasSubstr("leave -E out"));
  EXPECT_THAT(Complaint({"python3", "-uS", "-m", "train"}), HasSubstr("leave -S out"));
  // The value of another option is none.
  EXPECT_EQ(Complaint({"python3", "-W", "ES", script_}), "none: train.py");
}

TEST_F(ProgramTest, AnExecutableOfPythonTellsItsInterpreter) {
  const std::string torchrun = Install("torchrun", "#!" + Bin("python3.11") + " -u\nimport sys\n");
  const Program program = Read({"torchrun", "--nproc-per-node", "2"});
  EXPECT_THAT(program.argv, ElementsAre(torchrun, "--nproc-per-node", "2"));
  EXPECT_EQ(program.interpreter, Bin("python3.11"));
  EXPECT_EQ(program.name, "torchrun");
  Install("accelerate", "#! /usr/bin/env -S X=1 pypy3 -u\n");
  EXPECT_EQ(Read({"accelerate"}).interpreter, Bin("pypy3"));
  EXPECT_EQ(Read({"accelerate"}).name, "accelerate");
}

TEST_F(ProgramTest, PipsDetourAroundLongPathsIsFollowed) {
  const fs::path python = MakeExecutable(folder_.path() / "my venv/bin/python", "#!/bin/sh\n");
  Install("launch", "#!/bin/sh\n'''exec' \"" + python.string() + "\" \"$0\" \"$@\"\n' '''\nimport sys\n");
  EXPECT_EQ(Read({"launch"}).interpreter, python.string());
}

TEST_F(ProgramTest, TheChosenPythonTakesTheFirstLinesPlace) {
  const std::string tool = Install("tool", "#!" + Bin("python3.11") + " -Es\n");
  EXPECT_THAT(Complaint({"tool"}), HasSubstr("python -E cannot be measured"));
  EXPECT_THAT(Complaint({"tool"}), HasSubstr("give the interpreter with --python"));
  const Program program = Read({"tool", "x"}, "python3");
  EXPECT_THAT(program.argv, ElementsAre(Bin("python3"), tool, "x"));
  EXPECT_EQ(program.interpreter, Bin("python3"));
  EXPECT_EQ(program.name, "tool");
}

TEST_F(ProgramTest, AFirstLineThatLeadsNowhereIsExplained) {
  Install("moved", "#!/old/venv/bin/python\n");
  EXPECT_THAT(Complaint({"moved"}), HasSubstr("asks for '/old/venv/bin/python', which is not there"));
}

TEST_F(ProgramTest, AnyOtherExecutableMayRunAndHasNoInterpreter) {
  const std::string launch = Install("launch.sh", "#!/bin/bash\npython3 train.py\n");
  const Program program = Read({launch, "2"});
  EXPECT_THAT(program.argv, ElementsAre(launch, "2"));
  EXPECT_EQ(program.interpreter, "");
  EXPECT_EQ(program.name, "launch.sh");
  Install("binary", std::string(10000, '\0'));
  EXPECT_EQ(Read({"binary"}).interpreter, "");
  EXPECT_THAT(Complaint({"binary"}, "python3"), HasSubstr("--python cannot run 'binary'"));
}

TEST_F(ProgramTest, WhatIsNotThereOrNotExecutableIsNamed) {
  EXPECT_THAT(Complaint({}), HasSubstr("no program to run"));
  EXPECT_THAT(Complaint({""}), HasSubstr("no program to run"));
  EXPECT_THAT(Complaint({"deepspeed"}), HasSubstr("there is no program 'deepspeed' / it is not in PATH"));
  EXPECT_THAT(Complaint({"/no/such/program"}), HasSubstr("there is no program '/no/such/program'"));
  EXPECT_THAT(Complaint({folder_.path()}), HasSubstr("there is no program"));
  const std::string plain = MakeFile(folder_.path() / "plain", "#!/usr/bin/env python3\n");
  EXPECT_THAT(Complaint({plain}), HasSubstr("'" + plain + "' is not executable / chmod +x"));
  EXPECT_THAT(Read({plain}, "python3").argv, ElementsAre(Bin("python3"), plain));
}

TEST(PathSearch, KnowsHowInterpretersAreCalled) {
  for (const char* name :
       {"python", "python2", "python3", "python3.11", "python3.13t", "python3.7m", "pypy", "pypy3.10"}) {
    EXPECT_TRUE(IsPythonName(name)) << name;
  }
  for (const char* name :
       {"", "python3-config", "pythonw.exe", "ipython", "python.py", "python3.", "pydoc3"}) {
    EXPECT_FALSE(IsPythonName(name)) << name;
  }
}

TEST(PathSearch, AnEmptyEntryIsTheCurrentFolder) {
  EXPECT_TRUE(FoldersOfPath("/a::/b") == (std::vector<fs::path>{"/a", ".", "/b"}));
  EXPECT_TRUE(FoldersOfPath("").empty());
}

}  // namespace
}  // namespace stallscope
