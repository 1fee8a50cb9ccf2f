#include "stallscope/engine/meeting.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr Seconds kLong{30};

int ConnectAsStranger(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

TEST(Meeting, WhatOneRankSetsAnotherGets) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient one("127.0.0.1", server.port(), kLong);
  MeetingClient two("127.0.0.1", server.port(), kLong);
  const std::string binary("a b\n\0\xff", 6);
  one.Set("some key", binary);
  EXPECT_EQ(two.Get("some key", kLong), binary);
  one.Set("empty", "");
  EXPECT_EQ(two.Get("empty", kLong), "");
  EXPECT_TRUE(two.Has("empty"));
  EXPECT_TRUE(two.Remove("empty"));
  EXPECT_FALSE(two.Has("empty"));
  EXPECT_EQ(two.Count(), 1);
}

TEST(Meeting, AGetWaitsForTheSet) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient waits("127.0.0.1", server.port(), kLong);
  std::string seen;
  std::thread waiter([&] { seen = waits.Get("late", kLong); });
  MeetingClient sets("127.0.0.1", server.port(), kLong);
  sets.Set("late", "here");
  waiter.join();
  EXPECT_EQ(seen, "here");
}

TEST(Meeting, CountersAddUpOverClients) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient one("127.0.0.1", server.port(), kLong);
  MeetingClient two("127.0.0.1", server.port(), kLong);
  EXPECT_EQ(one.Add("n", 2), 2);
  EXPECT_EQ(two.Add("n", 40), 42);
  EXPECT_EQ(one.Get("n", kLong), "42");
}

TEST(Meeting, AStrangerWhoSendsHalfALineHoldsNobodyUp) {
  MeetingServer server("127.0.0.1", 0);
  const int stranger = ConnectAsStranger(server.port());
  ASSERT_EQ(send(stranger, "GET", 3, 0), 3);
  MeetingClient client("127.0.0.1", server.port(), kLong);
  client.Set("k", "v");
  EXPECT_EQ(client.Get("k", kLong), "v");
  ASSERT_EQ(send(stranger, " /\n", 3, 0), 3);
  char byte = 0;
  EXPECT_EQ(recv(stranger, &byte, 1, 0), 0) << "a stranger's greeting closes its connection";
  close(stranger);
}

TEST(Meeting, ATakenPortIsNamedWithTheFix) {
  MeetingServer server("127.0.0.1", 0);
  try {
    MeetingServer second("127.0.0.1", server.port());
    FAIL() << "the port was taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("port " + std::to_string(server.port()) + " is taken"),
              std::string::npos);
    EXPECT_NE(e.hint.find("--master-port"), std::string::npos);
  }
}

TEST(Meeting, AnUnreachableMasterIsNamedAfterTheTimeout) {
  int closed_port = 0;
  {
    MeetingServer server("127.0.0.1", 0);
    closed_port = server.port();
  }
  try {
    MeetingClient client("127.0.0.1", closed_port, Seconds(0.3));
    FAIL() << "nobody listens there";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("cannot reach the master at 127.0.0.1:"), std::string::npos);
    EXPECT_NE(e.hint.find("--node-rank 0"), std::string::npos);
  }
}

TEST(Meeting, ACounterThatWouldOverflowIsAStrangersAndEndsItsVisit) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient rank("127.0.0.1", server.port(), kLong);
  MeetingClient stranger("127.0.0.1", server.port(), kLong);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(stranger.Add("n", most), most);
  EXPECT_THROW(stranger.Add("n", 1), Error);
  EXPECT_EQ(rank.Add("n", -1), most - 1);
}

TEST(Meeting, AMissingKeyEndsInAnErrorAndNotInAHang) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient client("127.0.0.1", server.port(), kLong);
  EXPECT_THROW(client.Get("never", Seconds(0.2)), Error);
}

TEST(Meeting, AnAbortReachesThoseWhoWaitAndThoseWhoCome) {
  MeetingServer server("127.0.0.1", 0);
  MeetingClient waits("127.0.0.1", server.port(), kLong);
  std::string seen;
  std::thread waiter([&] {
    try {
      waits.Get("never", kLong);
    } catch (const Error& e) {
      seen = e.what();
    }
  });
  MeetingClient leaves("127.0.0.1", server.port(), kLong);
  leaves.Set("here", "v");
  leaves.Abort("rank 1 has no interface");
  waiter.join();
  EXPECT_EQ(seen, "rank 1 has no interface");
  MeetingClient late("127.0.0.1", server.port(), kLong);
  EXPECT_EQ(late.Get("here", kLong), "v");
  EXPECT_THROW(late.Get("other", kLong), Error);
}

TEST(Meeting, TheWayToLoopbackIsLoopback) {
  EXPECT_EQ(LocalAddressTowards("127.0.0.1"), "127.0.0.1");
}

}  // namespace
}  // namespace stallscope
