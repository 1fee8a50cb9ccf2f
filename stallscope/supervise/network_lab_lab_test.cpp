#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <thread>
#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/network_lab.h"
#include "stallscope/supervise/process_test_support.h"
#include "stallscope/supervise/run_tool.h"

namespace stallscope {
namespace {

constexpr double kPatience_s = 20;

class NetworkLabTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "sockets in another namespace need root";
    if (const auto reason = NetworkLabUnavailable(3)) GTEST_SKIP() << *reason;
  }
};

/// A socket that lives on a host of the lab. A thread may change its namespace alone, and a socket keeps
/// the one that it was made in.
FileDescriptor SocketOn(const NetworkLab& lab, int host, int type) {
  int fd = -1;
  std::thread([&] {
    if (setns(lab.network_namespace(host), CLONE_NEWNET) == 0) fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  }).join();
  return FileDescriptor(fd);
}

sockaddr_in AddressOf(int host) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(5001);
  inet_pton(AF_INET, NetworkLab::Address(host).c_str(), &address.sin_addr);
  return address;
}

bool Bind(const FileDescriptor& socket, int host) {
  const sockaddr_in address = AddressOf(host);
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Sends a datagram now and then until one arrives or the time is over.
bool Reaches(const NetworkLab& lab, int from, int to, double timeout_s) {
  const FileDescriptor sender = SocketOn(lab, from, SOCK_DGRAM);
  const FileDescriptor receiver = SocketOn(lab, to, SOCK_DGRAM);
  const sockaddr_in address = AddressOf(to);
  const double deadline = MonotonicSeconds() + timeout_s;
  bool bound = false;
  while (MonotonicSeconds() < deadline) {
    bound = bound || Bind(receiver, to);
    sendto(sender.get(), "x", 1, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (bound && WaitReady(receiver.get(), POLLIN, 0.05)) return true;
  }
  return false;
}

/// A TCP connection from host 0 to host 1 over which as much flows as the link takes.
class Flow {
 public:
  explicit Flow(const NetworkLab& lab)
      : sender_(SocketOn(lab, 0, SOCK_STREAM)), listener_(SocketOn(lab, 1, SOCK_STREAM)) {
    const sockaddr_in address = AddressOf(1);
    EXPECT_TRUE(Bind(listener_, 1));
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    EXPECT_EQ(connect(sender_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    receiver_ = FileDescriptor(accept(listener_.get(), nullptr, nullptr));
    thread_ = std::thread([this] {
      static const std::array<char, 65536> kData{};
      while (!stop_ && send(sender_.get(), kData.data(), kData.size(), MSG_NOSIGNAL) > 0) {
      }
    });
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  ~Flow() {
    stop_ = true;
    shutdown(sender_.get(), SHUT_RDWR);
    thread_.join();
  }

  /// Receives for about this time.
  void Receive(double seconds) {
    const double end = MonotonicSeconds() + seconds;
    std::array<char, 65536> buffer{};
    while (MonotonicSeconds() < end) {
      if (!WaitReady(receiver_.get(), POLLIN, 0.1)) continue;
      bytes_ +=
          static_cast<double>(std::max<ssize_t>(0, recv(receiver_.get(), buffer.data(), buffer.size(), 0)));
    }
  }

  /// All that has arrived, and the time since before the connection was made: so that nothing that waited in
  /// a queue while this process did not run can look like speed.
  double bytes() const { return bytes_; }
  double seconds() const { return MonotonicSeconds() - start_s_; }

 private:
  FileDescriptor sender_;
  FileDescriptor listener_;
  FileDescriptor receiver_;
  double start_s_ = MonotonicSeconds();
  double bytes_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST_F(NetworkLabTest, TwoHostsSeeEachOtherAndNobodyElse) {
  const NetworkLab lab(2);
  EXPECT_TRUE(Reaches(lab, 0, 1, kPatience_s));
  EXPECT_TRUE(Reaches(lab, 1, 0, kPatience_s));
  const std::string devices =
      RunTool({"ip", "-brief", "address"},
              {.timeout = Seconds(20), .user_namespace = {}, .network_namespace = lab.network_namespace(0)});
  EXPECT_THAT(devices, testing::HasSubstr("10.77.0.1/24"));
  EXPECT_THAT(devices, testing::HasSubstr("127.0.0.1"));
  EXPECT_THAT(RunTool({"ip", "-brief", "link"}), testing::Not(testing::HasSubstr(NetworkLab::Device())));
}

TEST_F(NetworkLabTest, ThreeHostsMeetAtASwitch) {
  const NetworkLab lab(3, GigabitsPerSecond(0.1));
  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) EXPECT_TRUE(Reaches(lab, from, to, kPatience_s)) << from << " to " << to;
  }
}

TEST_F(NetworkLabTest, AChildRunsOnItsHost) {
  const NetworkLab lab(2);
  ChildOptions options;
  options.argv = {"sh", "-c", "ip -brief address show dev lab0 >&3"};
  lab.PlaceOn(1, options);
  ChildProcess child(options);
  ASSERT_TRUE(child.Wait(Seconds(kPatience_s)));
  std::array<char, 200> text{};
  ASSERT_GT(read(child.event_fd(), text.data(), text.size() - 1), 0);
  EXPECT_THAT(std::string(text.data()), testing::HasSubstr("10.77.0.2/24"));
}

/// At most the rate and one burst (256 KiB) pass. Another burst is allowed for the shaper's rounding.
double MostBytes(BytesPerSecond rate, double seconds) {
  return rate.value * seconds + 2 * 262144;
}

TEST_F(NetworkLabTest, AShapedLinkCarriesNoMoreThanItsRate) {
  const BytesPerSecond rate = GigabitsPerSecond(0.1);
  const NetworkLab lab(2, rate);
  Flow flow(lab);
  flow.Receive(1.0);
  const double bytes = flow.bytes();
  EXPECT_LE(bytes, MostBytes(rate, flow.seconds()));
  EXPECT_GT(bytes, 0);
}

TEST_F(NetworkLabTest, TheRateChangesWhileAConnectionLives) {
  const BytesPerSecond rate = GigabitsPerSecond(0.02);
  NetworkLab lab(2, rate);
  Flow flow(lab);
  flow.Receive(1.0);
  double bytes = flow.bytes();
  EXPECT_LE(bytes, MostBytes(rate, flow.seconds()));
  lab.SetRate(std::nullopt);
  // On a busy machine the connection may take a while to find out that it is free.
  EXPECT_TRUE(BecomesTrue([&] {
    flow.Receive(0.5);
    const double before = std::exchange(bytes, flow.bytes());
    return bytes - before > 2 * MostBytes(rate, 0.5);
  }));
}

TEST_F(NetworkLabTest, APulledCableCarriesNothingUntilItIsBack) {
  NetworkLab lab(2, GigabitsPerSecond(0.1));
  lab.SetLinkUp(1, false);
  EXPECT_FALSE(Reaches(lab, 0, 1, 0.3));
  lab.SetLinkUp(1, true);
  EXPECT_TRUE(Reaches(lab, 0, 1, kPatience_s));
  // The shaping survived: 100 Mbit, as before.
  EXPECT_THAT(
      RunTool({"tc", "qdisc", "show", "dev", NetworkLab::Device()},
              {.timeout = Seconds(20), .user_namespace = {}, .network_namespace = lab.network_namespace(1)}),
      testing::HasSubstr("rate 100Mbit"));
}

TEST_F(NetworkLabTest, NonsenseIsRefused) {
  EXPECT_THROW(NetworkLab(1), UsageError);
  EXPECT_THROW(NetworkLab(251), UsageError);
  NetworkLab lab(2);
  EXPECT_THROW(lab.SetRate(BytesPerSecond{0}), UsageError);
  lab.SetRate(std::nullopt);
}

TEST_F(NetworkLabTest, TheEndLeavesNoHolder) {
  std::vector<pid_t> holders;
  {
    const NetworkLab lab(3);
    holders = lab.holders();
    EXPECT_EQ(holders.size(), 4U);
  }
  for (const pid_t pid : holders) EXPECT_FALSE(IsRunning(pid));
}

/// Is any process of this machine in the namespace, by its inode?
bool IsInhabited(ino_t space) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    struct stat info {};
    if (stat((entry.path() / "ns/net").c_str(), &info) == 0 && info.st_ino == space) return true;
  }
  return false;
}

TEST_F(NetworkLabTest, NothingIsLeftAfterItsOwnerIsKilled) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    static NetworkLab lab(2, GigabitsPerSecond(0.1));
    ChildOptions options;
    options.argv = {"sleep", "100"};
    lab.PlaceOn(1, options);
    static ChildProcess child(options);
    for (int host = 0; host < 2; ++host) {
      struct stat info {};
      fstat(lab.network_namespace(host), &info);
      tell(std::to_string(info.st_ino));
    }
    for (const pid_t pid : lab.holders()) tell(std::to_string(pid));
    tell(std::to_string(child.pid()));
  });
  const std::array<ino_t, 2> spaces = {std::stoul(owner.Hear()), std::stoul(owner.Hear())};
  const std::array<pid_t, 3> pids = {std::stoi(owner.Hear()), std::stoi(owner.Hear()),
                                     std::stoi(owner.Hear())};
  for (const ino_t space : spaces) EXPECT_TRUE(IsInhabited(space));
  owner.Kill();
  for (const pid_t pid : pids) EXPECT_TRUE(VanishesSoon(pid));
  for (const ino_t space : spaces) EXPECT_FALSE(IsInhabited(space));
}

TEST_F(NetworkLabTest, AnOrdinaryUserGetsOneThroughAUserNamespace) {
  OwnerProcess owner([](const OwnerProcess::Tell& tell) {
    const bool ordinary = setgroups(0, nullptr) == 0 && setresgid(65534, 65534, 65534) == 0 &&
                          setresuid(65534, 65534, 65534) == 0;
    prctl(PR_SET_DUMPABLE, 1);  // setuid cleared it; a process of an ordinary user has it
    if (!ordinary) tell("cannot become an ordinary user");
    try {
      NetworkLab lab(3, GigabitsPerSecond(0.1));
      ChildOptions options;
      options.argv = {"sh", "-c", "ip -brief address show dev lab0 >&3"};
      lab.PlaceOn(2, options);
      ChildProcess child(options);
      child.Wait(Seconds(kPatience_s));
      std::array<char, 200> text{};
      [[maybe_unused]] const ssize_t count = read(child.event_fd(), text.data(), text.size() - 1);
      const std::string line = text.data();
      tell(line.substr(0, line.find('\n')));
    } catch (const Error& error) {
      tell(error.what());
    }
  });
  const std::string heard = owner.Hear();
  if (heard.find("cannot make a network namespace") != std::string::npos) GTEST_SKIP() << heard;
  EXPECT_THAT(heard, testing::HasSubstr("10.77.0.3/24"));
}

}  // namespace
}  // namespace stallscope
