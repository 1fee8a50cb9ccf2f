#include "stallscope/engine/sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "stallscope/base/error.h"

namespace stallscope {

AddressList::AddressList(const std::string& host, int port, int socket_type) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = socket_type;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &first);
  if (code != 0) {
    throw Error(fmt::format("cannot resolve the master address '{}': {}", host, gai_strerror(code)),
                "check --master-addr");
  }
}

AddressList::~AddressList() {
  freeaddrinfo(first);
}

bool SendAll(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

int TryConnect(const addrinfo& address, Seconds timeout) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const bool begun = connect(fd, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS;
  pollfd writable{fd, POLLOUT, 0};
  int error = 1;
  socklen_t size = sizeof error;
  if (begun && poll(&writable, 1, static_cast<int>(timeout.count() * 1000)) == 1) {
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0) {
    close(fd);
    return -1;
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

int ListenOn(const std::string& host, int port) {
  const AddressList addresses(host, port, SOCK_STREAM);
  const int listener = socket(addresses.first->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, addresses.first->ai_addr, addresses.first->ai_addrlen) == 0 &&
      listen(listener, 128) == 0) {
    return listener;
  }
  const int code = errno;
  close(listener);
  if (code == EADDRINUSE) {
    throw Error(fmt::format("port {} is taken on {}", port, host),
                "choose another with --master-port, the same on every machine");
  }
  throw Error(fmt::format("cannot listen on {}:{}: {}", host, port, std::strerror(code)),
              "--master-addr must be an address of the machine with --node-rank 0");
}

namespace {

template <typename Attach>
int DatagramSocket(const std::string& host, int port, Attach attach) {
  const AddressList addresses(host, port, SOCK_DGRAM);
  const int fd = socket(addresses.first->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || attach(fd, addresses.first->ai_addr, addresses.first->ai_addrlen) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

int DatagramSocketOn(const std::string& host, int port) {
  return DatagramSocket(host, port, bind);
}

int DatagramSocketTo(const std::string& host, int port) {
  return DatagramSocket(host, port, connect);
}

int PortOf(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                           : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

}  // namespace stallscope
