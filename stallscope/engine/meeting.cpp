#include "stallscope/engine/meeting.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/sockets.h"

namespace stallscope {
namespace {

constexpr std::string_view kGreeting = "stallscope-meeting/1";
/// Addresses are tens of bytes; a longer line is a stranger's.
constexpr std::size_t kLongestLine = 1 << 20;
constexpr Seconds kReplyTime{30};
/// More than these who have not greeted are strangers: the oldest of them is shown out.
constexpr std::ptrdiff_t kMostUngreeted = 64;
/// How often a waiting client looks whether it was interrupted.
constexpr Seconds kLookUp{0.2};

std::string ToHex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text.empty() ? "-" : text;  // an empty word would vanish between two blanks
}

std::string FromHex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::vector<std::string> Words(const std::string& line) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

struct MeetingServer::Client {
  int socket = -1;
  std::string received;
  bool greeted = false;
  std::string waits_for;  ///< the key of an unanswered get

  explicit Client(int fd) : socket(fd) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(socket); }
};

MeetingServer::MeetingServer(const std::string& host, int port)
    : listener_(ListenOn(host, port)), port_(PortOf(listener_)) {
  if (pipe2(stop_pipe_, O_CLOEXEC) != 0) {
    close(listener_);
    throw Error("cannot make a pipe", "close some programs and try again");
  }
  thread_ = std::thread([this] { Serve(); });
}

MeetingServer::~MeetingServer() {
  close(stop_pipe_[1]);
  thread_.join();
  close(stop_pipe_[0]);
  close(listener_);
}

void MeetingServer::Serve() {
  for (;;) {
    std::vector<pollfd> polled = {{stop_pipe_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const auto& client : clients_) polled.push_back({client->socket, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled[0].revents != 0) return;
    // From the back, so that an erased client does not shift those still to be seen.
    for (std::size_t i = clients_.size(); i-- > 0;) {
      if (polled[i + 2].revents != 0 && !ReadFrom(*clients_[i])) {
        clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (polled[1].revents != 0) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) clients_.push_back(std::make_unique<Client>(fd));
      DropStrangers();
    }
    AnswerWaiters();
  }
}

void MeetingServer::DropStrangers() {
  const auto is_stranger = [](const std::unique_ptr<Client>& client) { return !client->greeted; };
  if (std::count_if(clients_.begin(), clients_.end(), is_stranger) > kMostUngreeted)
    clients_.erase(std::find_if(clients_.begin(), clients_.end(), is_stranger));
}

bool MeetingServer::ReadFrom(Client& client) {
  char bytes[4096];
  const ssize_t count = recv(client.socket, bytes, sizeof bytes, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  client.received.append(bytes, static_cast<std::size_t>(count));
  for (std::size_t end = client.received.find('\n'); end != std::string::npos;
       end = client.received.find('\n')) {
    const std::string line = client.received.substr(0, end);
    client.received.erase(0, end + 1);
    if (!Answer(client, line)) return false;
  }
  return client.received.size() < kLongestLine;
}

bool MeetingServer::Answer(Client& client, const std::string& line) {
  if (!client.greeted) {
    client.greeted = line == kGreeting;
    return client.greeted && SendAll(client.socket, "hello\n");
  }
  const std::vector<std::string> words = Words(line);
  const std::string& verb = words[0];
  if (verb == "count") return SendAll(client.socket, fmt::format("{}\n", values_.size()));
  if (words.size() < 2) return false;
  const std::string& key = words[1];
  if (verb == "get") {
    client.waits_for = key;
    return true;
  }
  if (verb == "abort") {
    aborted_ = "!" + key;
    return SendAll(client.socket, "ok\n");
  }
  if (verb == "has") return SendAll(client.socket, values_.contains(key) ? "1\n" : "0\n");
  if (verb == "remove") return SendAll(client.socket, values_.erase(key) > 0 ? "1\n" : "0\n");
  if (words.size() < 3) return false;
  if (verb == "set") {
    values_[key] = words[2];
    return SendAll(client.socket, "ok\n");
  }
  if (verb == "add") {
    // As torch's stores do, a counter is kept as decimal text under its key.
    std::int64_t sum = 0;
    std::int64_t amount = 0;
    const std::string old = values_.contains(key) ? FromHex(values_[key]) : "0";
    std::from_chars(old.data(), old.data() + old.size(), sum);
    std::from_chars(words[2].data(), words[2].data() + words[2].size(), amount);
    if (__builtin_add_overflow(sum, amount, &sum)) return false;  // no rank counts so far
    values_[key] = ToHex(std::to_string(sum));
    return SendAll(client.socket, fmt::format("{}\n", sum));
  }
  return false;
}

void MeetingServer::AnswerWaiters() {
  for (const auto& client : clients_) {
    if (client->waits_for.empty()) continue;
    const auto found = values_.find(client->waits_for);
    if (found == values_.end() && aborted_.empty()) continue;
    client->waits_for.clear();
    // A client that has gone shows in the next poll.
    static_cast<void>(SendAll(client->socket, (found == values_.end() ? aborted_ : found->second) + "\n"));
  }
}

MeetingClient::MeetingClient(const std::string& host, int port, Seconds timeout,
                             std::function<bool()> interrupted)
    : place_(fmt::format("{}:{}", host, port)), interrupted_(std::move(interrupted)) {
  const double deadline = MonotonicSeconds() + timeout.count();
  const AddressList addresses(host, port, SOCK_STREAM);
  while (socket_ < 0) {
    CheckInterrupted();
    const double left = deadline - MonotonicSeconds();
    if (left <= 0) {
      throw Error(fmt::format("cannot reach the master at {} within {}", place_, FormatDuration(timeout)),
                  "start the command with --node-rank 0 there first, check --master-addr, --master-port and "
                  "the firewall, or raise --join-timeout");
    }
    for (const addrinfo* address = addresses.first; address != nullptr && socket_ < 0;
         address = address->ai_next) {
      socket_ = TryConnect(*address, Seconds(std::min(left, 2.0)));
    }
    if (socket_ < 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const Seconds left(std::max(1.0, deadline - MonotonicSeconds()));
  try {
    Ask(std::string(kGreeting), left);
  } catch (const Error&) {
    close(socket_);
    throw Error(fmt::format("{} is not a stallscope master", place_),
                "check --master-addr and --master-port: another program answers there");
  }
}

void MeetingClient::CheckInterrupted() const {
  if (interrupted_()) throw Error("interrupted while the ranks met", "run it again", kExitInterrupted);
}

MeetingClient::~MeetingClient() {
  close(socket_);
}

std::string MeetingClient::Ask(const std::string& request, Seconds timeout) {
  const double deadline = MonotonicSeconds() + timeout.count();
  const Error lost("lost the connection to the master at " + place_,
                   "look at the output of rank 0's command");
  if (!SendAll(socket_, request + "\n")) throw lost;
  std::size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    const double left = deadline - MonotonicSeconds();
    pollfd readable{socket_, POLLIN, 0};
    CheckInterrupted();
    const double slice = std::min(left, kLookUp.count());
    const int ready = left > 0 ? poll(&readable, 1, static_cast<int>(std::ceil(slice * 1000))) : 0;
    if ((ready < 0 && errno == EINTR) || (ready == 0 && left > slice)) continue;
    if (ready <= 0) {
      throw Error(fmt::format("the master at {} did not answer within {}", place_, FormatDuration(timeout)),
                  "check that all ranks were started, and raise --join-timeout");
    }
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw lost;
    received_.append(bytes, static_cast<std::size_t>(count));
  }
  std::string reply = received_.substr(0, end);
  received_.erase(0, end + 1);
  if (reply.starts_with("!"))
    throw Error(FromHex(reply.substr(1)), "look at the output of that rank's command");
  return reply;
}

void MeetingClient::Set(const std::string& key, const std::string& value) {
  Ask("set " + ToHex(key) + " " + ToHex(value), kReplyTime);
}

std::string MeetingClient::Get(const std::string& key, Seconds timeout) {
  return FromHex(Ask("get " + ToHex(key), timeout));
}

bool MeetingClient::Has(const std::string& key) {
  return Ask("has " + ToHex(key), kReplyTime) == "1";
}

std::int64_t MeetingClient::Add(const std::string& key, std::int64_t amount) {
  return std::stoll(Ask(fmt::format("add {} {}", ToHex(key), amount), kReplyTime));
}

bool MeetingClient::Remove(const std::string& key) {
  return Ask("remove " + ToHex(key), kReplyTime) == "1";
}

std::int64_t MeetingClient::Count() {
  return std::stoll(Ask("count", kReplyTime));
}

void MeetingClient::Abort(const std::string& reason) {
  Ask("abort " + ToHex(reason), kReplyTime);
}

std::string LocalAddressTowards(const std::string& host) {
  const AddressList addresses(host, 9, SOCK_DGRAM);
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    // Connecting a datagram socket sends nothing; it only asks the routing table.
    const int fd = socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_storage local{};
    socklen_t size = sizeof local;
    const bool routed = fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen) == 0 &&
                        getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) == 0;
    if (fd >= 0) close(fd);
    char text[NI_MAXHOST];
    if (routed && getnameinfo(reinterpret_cast<sockaddr*>(&local), size, text, sizeof text, nullptr, 0,
                              NI_NUMERICHOST) == 0) {
      return text;
    }
  }
  throw Error("no route to the master address '" + host + "'", "check --master-addr, or give --interface");
}

}  // namespace stallscope
