// What a stranger who knows the greeting sends to the place where ranks meet.
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "stallscope/base/error.h"
#include "stallscope/engine/meeting.h"
#include "stallscope/engine/sockets.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

class Visitor {
 public:
  explicit Visitor(int port) {
    const AddressList addresses("127.0.0.1", port, SOCK_STREAM);
    socket_ = TryConnect(*addresses.first, Seconds(5));
    if (socket_ < 0) throw Error("cannot visit the meeting", "look at the machine's free ports");
    // Thousands of visits a second: none may leave its port waiting for a minute.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    SendAll(socket_, "stallscope-meeting/1\n");
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  ~Visitor() { close(socket_); }

  void Say(std::string_view bytes) const { SendAll(socket_, bytes); }
  /// False where the server has hung up.
  bool Hear() const {
    char reply[4096];
    return recv(socket_, reply, sizeof reply, 0) > 0;
  }

 private:
  int socket_ = -1;
};

}  // namespace

void ParseMeeting(std::string_view bytes) {
  // One for each visit: what one says must not change what the next one finds.
  const MeetingServer server("127.0.0.1", 0);
  const Visitor stranger(server.port());
  stranger.Say(bytes);
  stranger.Say("\n");
  // By the time that another one is greeted, the server has answered those who wait.
  Visitor(server.port()).Hear();
  // No verb: the server hangs up.
  stranger.Say("bye\n");
  while (stranger.Hear()) continue;
}

}  // namespace stallscope
