#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "stallscope/base/root.h"

namespace stallscope {

/// "254:0", the kernel's number of the disk that a file system's device lies on: limits are set on whole
/// disks, not on partitions. Nothing where there is no disk below it: tmpfs, overlay, network.
std::optional<std::string> WholeDisk(const Root& root, dev_t device);

/// The same for a file or folder of this machine.
std::optional<std::string> WholeDiskBelow(const std::filesystem::path& path);

}  // namespace stallscope
