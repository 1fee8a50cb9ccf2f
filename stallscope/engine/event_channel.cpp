#include "stallscope/engine/event_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr int kBeatMilliseconds = 500;

}  // namespace

void EventChannel::Send(const nlohmann::json& event) {
  // Messages may quote a log with any bytes in it: replaced, not thrown over.
  const std::string line = event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t count = write(descriptor_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    // The command has gone; this process is about to be ended with it.
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

Heartbeat::Heartbeat(EventChannel& channel, std::function<std::int64_t()> step) {
  if (pipe2(stop_pipe_, O_CLOEXEC) != 0)
    throw Error("cannot make a pipe", "close some programs and try again");
  thread_ = std::thread([this, &channel, step = std::move(step)] {
    pollfd stopped{stop_pipe_[0], POLLIN, 0};
    do {
      channel.Send({{"event", "heartbeat"}, {"step", step()}});
    } while (poll(&stopped, 1, kBeatMilliseconds) <= 0);
  });
}

Heartbeat::~Heartbeat() {
  close(stop_pipe_[1]);
  thread_.join();
  close(stop_pipe_[0]);
}

}  // namespace stallscope
