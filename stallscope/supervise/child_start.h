#pragma once

#include <sys/types.h>

#include "stallscope/supervise/child_process.h"

namespace stallscope {

/// The ends that the parent keeps.
struct StartedChild {
  pid_t pid = -1;
  FileDescriptor input;
  FileDescriptor events;
};

/// Forks and execs; the half of ChildProcess that runs on both sides of the fork.
StartedChild StartChild(const ChildOptions& options);

}  // namespace stallscope
