#include "stallscope/engine/machine_watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <sstream>
#include <thread>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/engine/sockets.h"

namespace stallscope {
namespace {

/// Quick ones, for tests; heartbeats come ten times within the silence.
constexpr MachineWatch::Limits kQuick{.beat = Seconds{0.05}, .silence = Seconds{0.5}, .join = Seconds{5}};
/// Nobody is called silent while a test looks at something else.
constexpr MachineWatch::Limits kPatient{.beat = Seconds{0.05}, .silence = Seconds{60}, .join = Seconds{5}};

bool Eventually(const std::function<bool()>& condition) {
  const double deadline = MonotonicSeconds() + 20;
  while (MonotonicSeconds() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

int ConnectAs(const std::string& offer, std::string* secret = nullptr) {
  std::istringstream words(offer);
  std::string address;
  std::string word;
  int port = 0;
  words >> address >> port >> word;
  if (secret != nullptr) *secret = word;
  const AddressList addresses(address, port, SOCK_STREAM);
  return TryConnect(*addresses.first, Seconds(2));
}

TEST(MachineWatch, CommandsThatBeatAreNotLost) {
  MachineWatch leader(0, 0, kQuick);
  std::atomic<int> met = 0;
  leader.Lead("127.0.0.1", 2, [&] { ++met; });
  MachineWatch one(1, 1, kQuick);
  MachineWatch two(2, 3, kQuick);
  one.Join(leader.offer());
  two.Join(leader.offer());
  leader.SayReady();
  one.SayReady();
  EXPECT_EQ(met, 0) << "one of them has not met the others yet";
  two.SayReady();
  EXPECT_TRUE(Eventually([&] { return met == 1; }));
  // Three times the silence.
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  for (const MachineWatch* watch : {&leader, &one, &two}) EXPECT_FALSE(watch->loss());
  EXPECT_EQ(met, 1);
}

TEST(MachineWatch, ASilentMachineIsNamedWithItsRanksAndTheirStep) {
  MachineWatch leader(0, 0, {.beat = Seconds{0.05}, .silence = Seconds{1}, .join = Seconds{5}});
  leader.Lead("127.0.0.1", 1, [] {});
  std::string secret;
  const int machine = ConnectAs(leader.offer(), &secret);
  ASSERT_GE(machine, 0);
  // It beats once, and then its cable is cut: nothing comes, nothing ends.
  ASSERT_TRUE(SendAll(machine, "join " + secret + " 4 7\nbeat 57\n"));
  ASSERT_TRUE(Eventually([&] { return leader.loss().has_value(); }));
  EXPECT_EQ(leader.loss()->kind, MachineLoss::Kind::kSilent);
  EXPECT_EQ(leader.loss()->what,
            "ranks 4 to 7 on 127.0.0.1 gave no sign of life for 1 s at step 57: its machine or the "
            "network to it has gone");
  close(machine);
}

TEST(MachineWatch, DatagramsAloneKeepAMachineAlive) {
  MachineWatch leader(0, 0, kQuick);
  leader.Lead("127.0.0.1", 1, [] {});
  std::string secret;
  const int machine = ConnectAs(leader.offer(), &secret);
  ASSERT_TRUE(SendAll(machine, "join " + secret + " 1 1\n"));
  std::istringstream words(leader.offer());
  std::string address;
  int port = 0;
  words >> address >> port;
  const int datagrams = DatagramSocketTo(address, port);
  // TCP waits ever longer for a chance to send again; three times the silence.
  for (int beat = 1; beat <= 30; ++beat) {
    SendAll(datagrams, "wrong-secret 1 999");
    SendAll(datagrams, secret + " 1 " + std::to_string(beat));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ASSERT_FALSE(leader.loss()) << leader.loss()->what;
  }
  char answer[256];
  EXPECT_GT(recv(datagrams, answer, sizeof answer, 0), 0) << "it is sent heartbeats in return";
  ASSERT_TRUE(Eventually([&] { return leader.loss().has_value(); }));
  EXPECT_NE(leader.loss()->what.find("at step 30"), std::string::npos) << leader.loss()->what;
  close(machine);
  close(datagrams);
}

TEST(MachineWatch, ACommandThatEndsWithoutAWordIsNoticedAtOnce) {
  MachineWatch leader(0, 0, kPatient);
  leader.Lead("127.0.0.1", 1, [] {});
  {
    MachineWatch other(1, 1, kPatient);
    other.SetStep(12);
    other.Join(leader.offer());
    // Its first heartbeat tells the step.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  ASSERT_TRUE(Eventually([&] { return leader.loss().has_value(); }));
  EXPECT_EQ(leader.loss()->what,
            "the command of rank 1 on 127.0.0.1 has ended at step 12 without a word: it was killed");
}

TEST(MachineWatch, LastWordsExplainMoreThanWhatFollowsFromThem) {
  MachineWatch leader(0, 0, kPatient);
  leader.Lead("127.0.0.1", 2, [] {});
  MachineWatch one(1, 1, kPatient);
  MachineWatch two(2, 2, kPatient);
  one.Join(leader.offer());
  two.Join(leader.offer());
  one.SayLoss({.kind = MachineLoss::Kind::kConsequence, .what = "rank 1 lost its connection"});
  ASSERT_TRUE(Eventually([&] { return leader.loss().has_value(); }));
  EXPECT_EQ(leader.loss()->kind, MachineLoss::Kind::kConsequence);
  two.SayLoss({.what = "rank 2 ended\nwith signal 9", .exit_code = 1});
  ASSERT_TRUE(Eventually([&] { return leader.loss()->kind == MachineLoss::Kind::kTold; }));
  EXPECT_EQ(leader.loss()->what, "rank 2 ended with signal 9");
}

TEST(MachineWatch, TheEndOfTheJobIsNoLoss) {
  auto leader = std::make_unique<MachineWatch>(0, 0, kPatient);
  leader->Lead("127.0.0.1", 1, [] {});
  MachineWatch other(1, 1, kPatient);
  other.Join(leader->offer());
  // Until it has been let in, a farewell does not reach it.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  leader->SayEnd(143);
  leader->SayLoss({.what = "said after the last words"});
  leader.reset();
  ASSERT_TRUE(Eventually([&] { return other.end().has_value(); }));
  EXPECT_EQ(*other.end(), 143);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(other.loss());
}

TEST(MachineWatch, StrangersAreShownOutAndHoldNobodyUp) {
  MachineWatch leader(0, 0, kPatient);
  leader.Lead("127.0.0.1", 1, [] {});
  const int silent = ConnectAs(leader.offer());
  const int guesses = ConnectAs(leader.offer());
  const int floods = ConnectAs(leader.offer());
  ASSERT_TRUE(SendAll(guesses, "join 00000000000000000000000000000000 1 1\n"));
  ASSERT_TRUE(SendAll(floods, std::string(10000, 'x')));
  char byte = 0;
  EXPECT_LE(recv(guesses, &byte, 1, 0), 0) << "a wrong secret closes the connection";
  EXPECT_LE(recv(floods, &byte, 1, 0), 0) << "so does rubbish without an end";
  MachineWatch other(1, 1, kPatient);
  other.Join(leader.offer());
  std::atomic<bool> refused = false;
  EXPECT_TRUE(Eventually([&] {
    const int late = ConnectAs(leader.offer());
    refused = late < 0;
    if (late >= 0) close(late);
    return refused.load();
  })) << "nothing listens once all have come";
  EXPECT_FALSE(leader.loss());
  for (const int fd : {silent, guesses, floods}) close(fd);
}

TEST(MachineWatch, AMasterThatCannotBeReachedIsSaidWithTheFix) {
  MachineWatch other(1, 1, {.beat = Seconds{0.05}, .silence = Seconds{0.5}, .join = Seconds{0.1}});
  try {
    other.Join("127.0.0.1 1 0123");
    FAIL() << "nothing listens on port 1";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 0's command cannot be reached at 127.0.0.1:1");
  }
}

}  // namespace
}  // namespace stallscope
