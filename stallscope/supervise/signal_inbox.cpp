#include "stallscope/supervise/signal_inbox.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr double kSameWish_s = 0.2;

struct Arrival {
  int signal;
  double time_s;
};

/// A handler can only reach what is static.
std::atomic<int> inbox_fd = -1;

void Deliver(int signal) {
  const int saved_errno = errno;
  const Arrival arrival{signal, MonotonicSeconds()};  // clock_gettime is async-signal-safe
  // A full pipe means thousands of unread signals: one more says nothing new.
  [[maybe_unused]] const ssize_t count = write(inbox_fd.load(), &arrival, sizeof arrival);
  errno = saved_errno;
}

}  // namespace

void SignalHistory::Record(int signal, double time_s) {
  if (!first_) first_ = signal;
  if (signal != SIGINT) return;
  if (!first_interrupt_s_) {
    first_interrupt_s_ = time_s;
  } else if (time_s - *first_interrupt_s_ > kSameWish_s) {
    urgent_ = true;
  }
}

SignalInbox::SignalInbox() : pipe_(MakePipe()) {
  SetNonblocking(pipe_.read_end.get());
  SetNonblocking(pipe_.write_end.get());
  int none = -1;
  if (!inbox_fd.compare_exchange_strong(none, pipe_.write_end.get())) {
    throw Error("signals are already caught by another inbox", "keep one SignalInbox per process");
  }
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kCaught[i] == SIGPIPE ? SIG_IGN : Deliver;
    action.sa_flags = SA_RESTART;
    sigaction(kCaught[i], &action, &previous_[i]);
    // nohup and background jobs of a plain shell ignore signals for a reason.
    if (kCaught[i] != SIGPIPE && previous_[i].sa_handler == SIG_IGN) {
      sigaction(kCaught[i], &previous_[i], nullptr);
    }
  }
}

SignalInbox::~SignalInbox() {
  for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &previous_[i], nullptr);
  inbox_fd = -1;
}

const SignalHistory& SignalInbox::Read() {
  Arrival arrival{};
  while (read(fd(), &arrival, sizeof arrival) == static_cast<ssize_t>(sizeof arrival)) {
    history_.Record(arrival.signal, arrival.time_s);
  }
  return history_;
}

}  // namespace stallscope
