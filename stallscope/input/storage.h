#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "stallscope/base/root.h"

namespace stallscope {

enum class StorageKind {
  kDisk,    ///< pages come from a block device of this machine
  kMemory,  ///< tmpfs and its like: the files have no other place than memory
  kRemote,  ///< a network or FUSE file system: evicting empties this client's cache, not the server's
};

struct Storage {
  StorageKind kind = StorageKind::kDisk;
  std::string name;  ///< "tmpfs", "NFS"; empty for disks
};

/// By the number that statfs gives a file system. Unknown ones are taken for disks: the bytes that the device
/// delivers judge them.
Storage StorageOfType(std::int64_t file_system_type);

/// Throws Error where the path cannot be asked.
Storage StorageBelow(const std::filesystem::path& path);

/// Bytes that a process ("self" or its id) has fetched from block devices so far: read_bytes of
/// /proc/PID/io. Nothing where the kernel does not tell.
std::optional<std::uint64_t> DeviceBytesRead(const Root& root, const std::string& process = "self");

}  // namespace stallscope
