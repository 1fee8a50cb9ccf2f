#pragma once

#include <stdexcept>
#include <string>

namespace stallscope {

/// A sample that cannot be used. What it says follows the file's name: "is truncated". The loader counts
/// it and takes the next; it ends a run only when there are too many.
class BadSample : public std::runtime_error {
 public:
  explicit BadSample(const std::string& reason) : std::runtime_error(reason) {}
};

}  // namespace stallscope
