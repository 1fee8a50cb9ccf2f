#include "stallscope/supervise/signal_inbox.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "stallscope/base/error.h"
#include "stallscope/supervise/child_process.h"

namespace stallscope {
namespace {

TEST(SignalHistory, TheFirstSignalDecides) {
  SignalHistory history;
  EXPECT_FALSE(history.first());
  history.Record(SIGTERM, 5.0);
  history.Record(SIGINT, 6.0);
  EXPECT_EQ(history.first(), SIGTERM);
  EXPECT_FALSE(history.urgent());
}

TEST(SignalHistory, ASecondInterruptIsUrgentUnlessItCameWithTheFirst) {
  SignalHistory history;
  history.Record(SIGINT, 5.0);
  history.Record(SIGINT, 5.1);  // 0.1 s: the same wish
  EXPECT_FALSE(history.urgent());
  history.Record(SIGINT, 5.3);  // 0.3 s after the first
  EXPECT_TRUE(history.urgent());
}

TEST(SignalInbox, SignalsBecomeReadableInsteadOfDeadly) {
  SignalInbox inbox;
  EXPECT_FALSE(WaitReady(inbox.fd(), POLLIN, 0));
  raise(SIGTERM);
  raise(SIGINT);
  EXPECT_TRUE(WaitReady(inbox.fd(), POLLIN, 10));
  EXPECT_EQ(inbox.Read().first(), SIGTERM);
  EXPECT_FALSE(WaitReady(inbox.fd(), POLLIN, 0)) << "reading empties it";
}

TEST(SignalInbox, AClosedPipeIsQuiet) {
  const SignalInbox inbox;
  Pipe pipe = MakePipe();
  pipe.read_end.Close();
  EXPECT_EQ(write(pipe.write_end.get(), "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
}

volatile sig_atomic_t earlier_handler_ran = 0;

TEST(SignalInbox, TheEarlierHandlersComeBack) {
  earlier_handler_ran = 0;
  struct sigaction mine {};
  struct sigaction before {};
  mine.sa_handler = [](int) { earlier_handler_ran = 1; };
  sigaction(SIGHUP, &mine, &before);
  {
    const SignalInbox inbox;
    raise(SIGHUP);
    EXPECT_EQ(earlier_handler_ran, 0);
  }
  raise(SIGHUP);
  EXPECT_EQ(earlier_handler_ran, 1);
  sigaction(SIGHUP, &before, nullptr);
}

TEST(SignalInbox, ASecondOneIsRefused) {
  const SignalInbox inbox;
  EXPECT_THROW(SignalInbox(), Error);
}

TEST(SignalInbox, ChildrenGetTheDefaults) {
  const SignalInbox inbox;
  ChildOptions options;
  options.argv = {"/bin/sh", "-c", "kill -PIPE $$; exit 0"};
  ChildProcess child(options);
  EXPECT_EQ(child.Wait(Seconds(20))->signal, SIGPIPE);
}

}  // namespace
}  // namespace stallscope
