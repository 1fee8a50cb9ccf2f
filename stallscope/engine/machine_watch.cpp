#include "stallscope/engine/machine_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/sockets.h"
#include "stallscope/supervise/line_buffer.h"

namespace stallscope {
namespace {

constexpr std::size_t kLongestLine = 4096;
/// More than these who have not said the secret are strangers: the oldest is shown out.
constexpr std::ptrdiff_t kMostStrangers = 64;
/// A command that was itself stopped for so long has no right to call others silent.
constexpr double kOwnPause_s = 3;

std::string MakeSecret() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw Error("the kernel gives no random numbers", "try again");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.substr(0, kLongestLine / 2);
}

std::string AddressOf(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[NI_MAXHOST] = "?";
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  }
  return text;
}

std::string AtStep(std::int64_t step) {
  return step > 0 ? fmt::format(" at step {}", step) : " before its first step";
}

}  // namespace

struct MachineWatch::Peer {
  int socket = -1;
  std::string address;
  LineBuffer lines{kLongestLine};
  std::size_t unknown_bytes = 0;  ///< what came before the secret
  int first = -1;                 ///< its ranks; -1: it has not said the secret
  int last = -1;
  bool ready = false;
  bool closed = false;
  std::int64_t step = 0;
  sockaddr_storage datagrams_to{};  ///< where its datagrams come from
  socklen_t datagrams_to_size = 0;  ///< 0: none have come
  double heard_s = MonotonicSeconds();

  explicit Peer(int fd) : socket(fd), address(AddressOf(fd)) {
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(socket); }
  bool known() const { return first >= 0; }
};

MachineWatch::MachineWatch(int first, int last) : MachineWatch(first, last, Limits{}) {}

MachineWatch::MachineWatch(int first, int last, const Limits& limits)
    : first_(first), last_(last), limits_(limits) {}

MachineWatch::~MachineWatch() {
  if (thread_.joinable()) {
    close(stop_pipe_[1]);
    thread_.join();
    close(stop_pipe_[0]);
  }
  if (listener_ >= 0) close(listener_);
  if (datagrams_ >= 0) close(datagrams_);
}

void MachineWatch::Lead(const std::string& address, int others, std::function<void()> all_ready) {
  all_ready_ = std::move(all_ready);
  leads_ = true;
  awaited_ = others;
  secret_ = MakeSecret();
  listener_ = ListenOn(address, 0);
  offer_ = fmt::format("{} {} {}", address, PortOf(listener_), secret_);
  datagrams_ = DatagramSocketOn(address, PortOf(listener_));
  Start();
}

void MachineWatch::Join(const std::string& offer) {
  if (thread_.joinable()) return;  // several ranks of this command say the same
  std::istringstream words(offer);
  std::string address;
  int port = 0;
  words >> address >> port >> secret_;
  const AddressList addresses(address, port, SOCK_STREAM);
  const double deadline = MonotonicSeconds() + limits_.join.count();
  int fd = -1;
  while (fd < 0 && MonotonicSeconds() < deadline) fd = TryConnect(*addresses.first, Seconds(2));
  if (fd < 0) {
    throw Error(fmt::format("rank 0's command cannot be reached at {}:{}", address, port),
                "open all TCP ports between the machines to each other, as gradients need it too");
  }
  auto peer = std::make_unique<Peer>(fd);
  peer->first = peer->last = 0;
  SendAll(fd, fmt::format("join {} {} {}\n", secret_, first_, last_));
  datagrams_ = DatagramSocketTo(address, port);
  peers_.push_back(std::move(peer));
  Start();
}

void MachineWatch::Start() {
  if (pipe2(stop_pipe_, O_CLOEXEC) != 0)
    throw Error("cannot make a pipe", "close some programs and try again");
  thread_ = std::thread([this] { Serve(); });
}

void MachineWatch::Serve() {
  double next_beat_s = 0;
  double last_look_s = MonotonicSeconds();
  for (;;) {
    std::vector<pollfd> polled = {
        {stop_pipe_[0], POLLIN, 0}, {listener_, POLLIN, 0}, {datagrams_, POLLIN, 0}};
    for (const auto& peer : peers_) polled.push_back({peer->closed ? -1 : peer->socket, POLLIN, 0});
    const double wait_s = std::clamp(next_beat_s - MonotonicSeconds(), 0.0, limits_.beat.count());
    poll(polled.data(), polled.size(), static_cast<int>(wait_s * 1000) + 1);
    if (polled[0].revents != 0) return;
    bool all_ready = false;
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < peers_.size(); ++i) {
        if (polled[i + 3].revents != 0) ReadFrom(*peers_[i]);
      }
      if (polled[2].revents != 0) ReadDatagrams();
      if (polled[1].revents != 0) Accept();
      const double now = MonotonicSeconds();
      if (now - last_look_s > kOwnPause_s) {
        for (const auto& peer : peers_) peer->heard_s = now;
      }
      last_look_s = now;
      CheckSilence(now);
      if (now >= next_beat_s) {
        Beat();
        next_beat_s = now + limits_.beat.count();
      }
      std::erase_if(peers_, [](const auto& peer) { return peer->closed && !peer->known(); });
      if (leads_ && awaited_ == 0 && listener_ >= 0) {
        close(listener_);
        listener_ = -1;
      }
      all_ready = leads_ && ready_ && awaited_ == 0 && all_ready_ &&
                  std::all_of(peers_.begin(), peers_.end(),
                              [](const auto& peer) { return peer->ready || !peer->known(); });
    }
    if (all_ready) std::exchange(all_ready_, nullptr)();
  }
}

void MachineWatch::Accept() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  peers_.push_back(std::make_unique<Peer>(fd));
  const auto is_stranger = [](const auto& peer) { return !peer->known() && !peer->closed; };
  if (std::count_if(peers_.begin(), peers_.end(), is_stranger) > kMostStrangers)
    (*std::find_if(peers_.begin(), peers_.end(), is_stranger))->closed = true;
}

void MachineWatch::ReadFrom(Peer& peer) {
  char bytes[4096];
  const ssize_t count = recv(peer.socket, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    peer.closed = true;
    if (peer.known() && !end_) {
      NoteLoss({.kind = MachineLoss::Kind::kEnded,
                .what = fmt::format("the command of {} has ended{} without a word: it was killed",
                                    NameOf(peer), AtStep(peer.step))});
    }
    return;
  }
  peer.lines.Append({bytes, static_cast<std::size_t>(count)});
  while (const auto line = peer.lines.Next()) TakeLine(peer, *line);
  if (peer.known()) return;
  peer.unknown_bytes += static_cast<std::size_t>(count);
  if (peer.unknown_bytes > kLongestLine) peer.closed = true;
}

void MachineWatch::TakeLine(Peer& peer, const std::string& line) {
  if (peer.closed) return;
  if (!peer.known()) return TakeJoin(peer, line);
  peer.heard_s = MonotonicSeconds();
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "beat") {
    words >> peer.step;
  } else if (verb == "ready") {
    peer.ready = true;
  } else if (verb == "end") {
    int exit_code = 0;
    words >> exit_code;
    if (!leads_) end_ = exit_code;
    // Whatever comes after its farewell is no loss.
    if (leads_) peer.closed = true;
  } else if (verb == "lost") {
    int kind = 0;
    MachineLoss loss;
    words >> kind >> loss.exit_code;
    loss.kind = kind == 0 ? MachineLoss::Kind::kTold : MachineLoss::Kind::kConsequence;
    words.ignore(1);
    std::getline(words, loss.what);
    NoteLoss(std::move(loss));
    peer.closed = true;
  }
}

void MachineWatch::TakeJoin(Peer& peer, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  std::string secret;
  int first = -1;
  words >> verb >> secret >> first >> peer.last;
  if (verb != "join" || secret != secret_ || first < 0 || awaited_ == 0) {
    peer.closed = true;
    return;
  }
  peer.first = first;
  peer.heard_s = MonotonicSeconds();
  --awaited_;
}

void MachineWatch::Beat() {
  const std::string datagram = fmt::format("{} {} {}", secret_, first_, step_);
  for (const auto& peer : peers_) {
    if (!peer->known() || peer->closed) continue;
    // A full buffer is a silent peer's; its silence is judged elsewhere. So are lost datagrams.
    SendAll(peer->socket, fmt::format("beat {}\n", step_));
    const auto* to = peer->datagrams_to_size > 0 ? reinterpret_cast<sockaddr*>(&peer->datagrams_to) : nullptr;
    if (to == nullptr && leads_) continue;
    sendto(datagrams_, datagram.data(), datagram.size(), MSG_NOSIGNAL, to, peer->datagrams_to_size);
  }
}

void MachineWatch::ReadDatagrams() {
  // So many at once, so that a stranger's flood does not hold this up for ever.
  for (int count = 0; count < 256; ++count) {
    char bytes[256];
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const ssize_t length =
        recvfrom(datagrams_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (length < 0) return;
    std::istringstream words(std::string(bytes, static_cast<std::size_t>(length)));
    std::string secret;
    int first = -1;
    std::int64_t step = 0;
    words >> secret >> first >> step;
    if (secret != secret_) continue;
    for (const auto& peer : peers_) {
      if (!peer->known() || peer->first != first) continue;
      peer->heard_s = MonotonicSeconds();
      peer->step = std::max(peer->step, step);
      if (!leads_) continue;
      peer->datagrams_to = from;
      peer->datagrams_to_size = size;
    }
  }
}

void MachineWatch::CheckSilence(double now) {
  for (const auto& peer : peers_) {
    if (!peer->known()) {
      if (now - peer->heard_s > limits_.join.count()) peer->closed = true;
    } else if (!peer->closed && !end_ && now - peer->heard_s > limits_.silence.count()) {
      NoteLoss(
          {.kind = MachineLoss::Kind::kSilent,
           .what = fmt::format("{} gave no sign of life for {}{}: its machine or the network to it has gone",
                               NameOf(*peer), FormatDuration(limits_.silence), AtStep(peer->step))});
    }
  }
}

void MachineWatch::NoteLoss(MachineLoss loss) {
  if (!loss_ || loss.kind < loss_->kind) loss_ = std::move(loss);
}

std::string MachineWatch::NameOf(const Peer& peer) const {
  if (!leads_) return fmt::format("rank 0 on {}", peer.address);
  if (peer.first == peer.last) return fmt::format("rank {} on {}", peer.first, peer.address);
  return fmt::format("ranks {} to {} on {}", peer.first, peer.last, peer.address);
}

void MachineWatch::SetStep(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
}

void MachineWatch::SayReady() {
  const std::lock_guard lock(mutex_);
  ready_ = true;
  if (!leads_) TellAll("ready\n");
}

void MachineWatch::SayEnd(int exit_code) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(said_last_words_, true)) return;
  TellAll(fmt::format("end {}\n", exit_code));
}

void MachineWatch::SayLoss(const MachineLoss& loss) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(said_last_words_, true)) return;
  const bool consequence = loss.kind == MachineLoss::Kind::kConsequence;
  TellAll(fmt::format("lost {} {} {}\n", consequence ? 1 : 0, loss.exit_code, OneLine(loss.what)));
}

void MachineWatch::TellAll(const std::string& line) {
  for (const auto& peer : peers_) {
    if (peer->known() && !peer->closed) SendAll(peer->socket, line);
  }
}

std::optional<MachineLoss> MachineWatch::loss() const {
  const std::lock_guard lock(mutex_);
  return loss_;
}

std::optional<int> MachineWatch::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

}  // namespace stallscope
