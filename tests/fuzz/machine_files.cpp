// A recorded machine in one text: "== proc/stat", and then the file's lines.
#include <filesystem>
#include <fstream>

#include "stallscope/machine/cloud.h"
#include "stallscope/machine/cpu_load.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/interfaces.h"
#include "stallscope/machine/memory_room.h"
#include "stallscope/machine/resources.h"
#include "stallscope/supervise/temporary_folder.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "== ";

/// Below proc or sys, and short: a text chooses what is in a tree, not where the tree is.
bool IsInside(const fs::path& path) {
  const std::string first = path.empty() ? "" : path.begin()->string();
  return (first == "proc" || first == "sys") && path == path.lexically_normal() &&
         path.string().size() < 200 && path.string().find('\0') == std::string::npos && path.has_filename();
}

void WriteTree(const fs::path& root, std::string_view bytes) {
  std::ofstream file;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end);
    if (!line.starts_with(kMark)) {
      if (file.is_open()) file << line;
      continue;
    }
    file = std::ofstream();
    const fs::path path =
        line.substr(kMark.size(), line.size() - kMark.size() - (line.ends_with('\n') ? 1 : 0));
    std::error_code code;
    if (IsInside(path) && (fs::create_directories((root / path).parent_path(), code), !code))
      file.open(root / path, std::ios::binary);
  }
}

}  // namespace

void ParseMachineFiles(std::string_view bytes) {
  const TemporaryFolder folder;
  WriteTree(folder.path(), bytes);
  const Root root{folder.path()};
  ReadHost(root);
  HasNvidiaGpu(root);
  ReadCpuLoad(root);
  ReadInterfaces(root);
  ReadResources(root, 1);
  MemoryRoom(root);
  RecogniseCloud(root);
}

}  // namespace stallscope
