#include "stallscope/engine/batch_threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace stallscope {
namespace {

int PolicyOfNewThread() {
  int policy = -1;
  std::thread([&policy] { policy = sched_getscheduler(0); }).join();
  return policy;
}

TEST(BatchThreads, ThreadsStartedMeanwhileAreBatchThreads) {
  ASSERT_EQ(sched_getscheduler(0), SCHED_OTHER);
  {
    const BatchThreads batch;
    EXPECT_EQ(PolicyOfNewThread(), SCHED_BATCH);
  }
  EXPECT_EQ(PolicyOfNewThread(), SCHED_OTHER);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(BatchThreads, APolicySomebodyChoseStays) {
  int meanwhile = -1;
  int afterwards = -1;
  std::thread([&] {
    const sched_param parameters{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &parameters), 0);
    {
      const BatchThreads batch;
      meanwhile = PolicyOfNewThread();
    }
    afterwards = sched_getscheduler(0);
  }).join();
  EXPECT_EQ(meanwhile, SCHED_IDLE);
  EXPECT_EQ(afterwards, SCHED_IDLE);
}

}  // namespace
}  // namespace stallscope
