#include "stallscope/supervise/fork.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

#include "stallscope/base/error.h"
#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

pid_t ForkWithoutHandlers() {
  sigset_t all;
  sigset_t previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  const pid_t pid = fork();
  const int error_number = errno;
  if (pid == 0) {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    // Ignored signals would stay ignored through exec, so all are reset; the few that cannot be refuse.
    for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    return 0;
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  if (pid < 0) {
    throw Error("cannot start a process: " + ErrnoText(error_number),
                "raise the limit of processes (ulimit -u), or free memory");
  }
  return pid;
}

bool DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent;  // it may have died before the mark was set
}

void CloseAllDescriptorsBut(int kept) {
  if (kept > 0) close_range(0, static_cast<unsigned>(kept) - 1, 0);
  close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

}  // namespace stallscope
