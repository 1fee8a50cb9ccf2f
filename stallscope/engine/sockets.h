#pragma once

#include <netdb.h>

#include <string>
#include <string_view>

#include "stallscope/base/units.h"

namespace stallscope {

/// What a host name stands for.
struct AddressList {
  addrinfo* first = nullptr;

  /// Throws Error where the name means nothing.
  AddressList(const std::string& host, int port, int socket_type);
  AddressList(const AddressList&) = delete;
  AddressList& operator=(const AddressList&) = delete;
  ~AddressList();
};

/// False where the other end has gone, or does not take what is sent.
bool SendAll(int socket, std::string_view text);

/// A connected socket, or -1.
int TryConnect(const addrinfo& address, Seconds timeout);

/// A nonblocking socket that listens on this address of this machine, and on no other. Port 0 takes a free
/// one. Throws Error where the port is taken or the address is not of this machine.
int ListenOn(const std::string& host, int port);

/// A nonblocking datagram socket on this address and port; -1 where there can be none.
int DatagramSocketOn(const std::string& host, int port);

/// A nonblocking datagram socket that speaks to this address alone; -1 where there can be none.
int DatagramSocketTo(const std::string& host, int port);

int PortOf(int socket);

}  // namespace stallscope
