#include "stallscope/input/storage.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "stallscope/base/error.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {
namespace {

struct KnownType {
  std::int64_t type;
  StorageKind kind;
  const char* name;
};

/// From linux/magic.h, and from the sources of those that are not in the kernel.
constexpr std::array kKnownTypes = {
    KnownType{0x01021994, StorageKind::kMemory, "tmpfs"},
    KnownType{0x858458f6, StorageKind::kMemory, "ramfs"},
    KnownType{0x6969, StorageKind::kRemote, "NFS"},
    KnownType{0x65735546, StorageKind::kRemote, "FUSE"},
    KnownType{0xff534d42, StorageKind::kRemote, "CIFS"},
    KnownType{0xfe534d42, StorageKind::kRemote, "SMB"},
    KnownType{0x01021997, StorageKind::kRemote, "9P"},
    KnownType{0x00c36400, StorageKind::kRemote, "Ceph"},
    KnownType{0x0bd00bd0, StorageKind::kRemote, "Lustre"},
    KnownType{0x47504653, StorageKind::kRemote, "GPFS"},
    KnownType{0x19830326, StorageKind::kRemote, "BeeGFS"},
    KnownType{0x5346414f, StorageKind::kRemote, "AFS"},
    KnownType{0x20030528, StorageKind::kRemote, "OrangeFS"},
};

}  // namespace

Storage StorageOfType(std::int64_t file_system_type) {
  // Some kernels widen the 32 bits with their sign.
  const std::int64_t type = file_system_type & 0xffffffff;
  for (const KnownType& known : kKnownTypes) {
    if (known.type == type) return {known.kind, known.name};
  }
  return {};
}

Storage StorageBelow(const std::filesystem::path& path) {
  struct statfs status {};
  if (statfs(path.c_str(), &status) != 0) {
    throw Error(fmt::format("cannot look at '{}': {}", path.string(), ErrnoText(errno)), "check the path");
  }
  return StorageOfType(status.f_type);
}

std::optional<std::uint64_t> DeviceBytesRead(const Root& root, const std::string& process) {
  const auto text = ReadText(root, "proc/" + process + "/io");
  if (!text) return std::nullopt;
  constexpr std::string_view kField = "\nread_bytes: ";
  const std::size_t at = text->find(kField);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text->c_str() + at + kField.size(), nullptr, 10);
}

}  // namespace stallscope
