#pragma once

#include "stallscope/base/root.h"
#include "stallscope/machine/resource_sample.h"

namespace stallscope {

/// The counters of a machine without its GPUs, from files of the kernel alone. What cannot be read, or is not
/// what the kernel writes, is absent.
///
/// - Memory: the page cache is Cached + Buffers - Shmem of proc/meminfo, because shared memory cannot be
///   dropped; what is neither free nor page cache is used, the kernel's own memory and tmpfs included.
/// - Disks: the whole disks of proc/diskstats. Partitions, and disks made of other disks or of files or of
///   memory (dm, md, loop, ram, zram), would count the same bytes twice. No disk at all is absence.
/// - Network: every interface of proc/net/dev but lo. These are the interfaces of the network namespace that
///   the calling process is in, so that emulated machines have their own. A bridge or bond counts beside the
///   interfaces that it is made of.
ResourceSample ReadResources(const Root& root, double time_s);

}  // namespace stallscope
