#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stallscope {

/// The machine that wrote a document. What could not be read is absent.
struct HostInfo {
  std::string name;
  std::optional<std::string> cpu;
  std::optional<int> cores;
  std::optional<std::int64_t> memory_bytes;
  std::string kernel;

  bool operator==(const HostInfo&) const = default;
};

}  // namespace stallscope
