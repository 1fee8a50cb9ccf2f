#pragma once

#include <sys/types.h>

namespace stallscope {

/// fork(), with a child that has none of the parent's signal handlers and blocks nothing: a handler that
/// ran in the child would write into the parent's pipes. In the child only async-signal-safe calls are
/// allowed where the parent has threads. Throws Error where the system has no room for a process.
pid_t ForkWithoutHandlers();

/// In a forked child: it is killed with the thread that forked it. False where that thread's process had
/// ended before; then the child must leave. The mark is lost with a change of credentials (such as
/// joining a user namespace), so this comes last.
bool DieWithParent(pid_t parent);

/// In a forked child that does not exec: closes every descriptor but one.
void CloseAllDescriptorsBut(int kept);

}  // namespace stallscope
