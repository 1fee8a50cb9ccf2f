#pragma once

#include <string>
#include <vector>

namespace stallscope {

/// A training program of the user's, ready to be started.
struct Program {
  std::vector<std::string> argv;  ///< to execute, interpreter first
  /// The Python that runs it, as a path; empty where we cannot know, as for a shell script.
  std::string interpreter;
  std::string name;  ///< for people: "train.py", "package.train", "accelerate"
};

/// What the user typed after `--`: "train.py ARGS", "python train.py", "/path/python -m package.train", or an
/// executable. `python` is --python, or empty. Throws UsageError where it cannot be run, or not be measured.
Program ReadProgram(const std::vector<std::string>& words, const std::string& python,
                    const std::string& path_variable);

}  // namespace stallscope
