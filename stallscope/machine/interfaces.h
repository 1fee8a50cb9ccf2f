#pragma once

#include <vector>

#include "stallscope/base/root.h"
#include "stallscope/document/machine_facts.h"

namespace stallscope {

/// The network interfaces of sys/class/net without loopback, by name.
std::vector<InterfaceFacts> ReadInterfaces(const Root& root);

}  // namespace stallscope
