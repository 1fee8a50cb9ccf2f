#include "stallscope/engine/batch_threads.h"

#include <sched.h>

namespace stallscope {
namespace {

bool SetPolicy(int policy) {
  const sched_param parameters{};
  return sched_setscheduler(0, policy, &parameters) == 0;
}

}  // namespace

/// Another policy than the usual one was somebody's choice, and stays.
BatchThreads::BatchThreads() : changed_(sched_getscheduler(0) == SCHED_OTHER && SetPolicy(SCHED_BATCH)) {}

BatchThreads::~BatchThreads() {
  if (changed_) SetPolicy(SCHED_OTHER);
}

}  // namespace stallscope
