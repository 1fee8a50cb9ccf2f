#pragma once

#include "stallscope/base/root.h"
#include "stallscope/document/host.h"

namespace stallscope {

/// Who this machine is. What cannot be read stays empty.
HostInfo ReadHost(const Root& root);

/// Whether the files of an NVIDIA driver or device are there; what the GPU is, is for later.
bool HasNvidiaGpu(const Root& root);

}  // namespace stallscope
