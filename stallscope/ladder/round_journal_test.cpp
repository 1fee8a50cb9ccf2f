#include "stallscope/ladder/round_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

MeasuredRound RoundNumber(int index) {
  MeasuredRound round;
  round.index = index;
  round.solo_turn = index % 2;
  round.polluted = index == 1;
  round.loader_limit_s = 0.25;
  round.loader = LoaderInfo{0.001, 0.002, 85000};
  BlockSummary& warm = round.blocks[Condition::kWarm];
  warm.step_time_s = 0.5 + index;
  warm.parts.copy_s = 0.125;
  warm.communication = CommunicationInfo{0.1, 0.2, 0.3};
  warm.steps = 4;
  warm.cache = "warm";
  round.blocks[Condition::kSolo].step_time_s = 0.25;
  return round;
}

class JournalTest : public testing::Test {
 protected:
  const Json job_ = {{"model", "resnet18"}, {"batch", 8}};
  TemporaryFolder folder_;
};

TEST_F(JournalTest, RoundsComeBackAsTheyWere) {
  RoundJournal(folder_.path(), job_, false).OnRound(RoundNumber(0));
  RoundJournal(folder_.path(), job_, true).OnRound(RoundNumber(1));
  const std::vector<MeasuredRound> rounds = ReadJournal(folder_.path(), job_);
  ASSERT_EQ(rounds.size(), 2U);
  EXPECT_EQ(rounds[1].index, 1);
  EXPECT_EQ(rounds[1].solo_turn, 1);
  EXPECT_TRUE(rounds[1].polluted);
  EXPECT_EQ(rounds[1].loader_limit_s, 0.25);
  EXPECT_FALSE(rounds[1].fetch_limit_s);
  EXPECT_EQ(rounds[1].loader->bytes, 85000);
  const BlockSummary& warm = rounds[1].blocks.at(Condition::kWarm);
  EXPECT_EQ(warm.step_time_s, 1.5);
  EXPECT_EQ(warm.parts.copy_s, 0.125);
  EXPECT_EQ(warm.communication->skew_s, 0.2);
  EXPECT_EQ(warm.steps, 4);
  EXPECT_EQ(warm.cache, "warm");
  EXPECT_EQ(rounds[1].blocks.at(Condition::kSolo).step_time_s, 0.25);
}

TEST_F(JournalTest, ALineThatWasCutOffIsPassedOverAndGoneOnWithoutIt) {
  RoundJournal(folder_.path(), job_, false).OnRound(RoundNumber(0));
  const std::filesystem::path file = folder_.path() / kJournalFile;
  const std::string whole = ReadFile(file);
  WriteFileAtomically(file, whole + R"({"round": 1, "solo)");
  EXPECT_EQ(ReadJournal(folder_.path(), job_).size(), 1U);
  RoundJournal(folder_.path(), job_, true).OnRound(RoundNumber(1));
  EXPECT_EQ(ReadJournal(folder_.path(), job_).size(), 2U);
}

TEST_F(JournalTest, AnotherJobIsRefusedByTheOptionThatDiffers) {
  RoundJournal(folder_.path(), job_, false).OnRound(RoundNumber(0));
  try {
    ReadJournal(folder_.path(), {{"model", "resnet18"}, {"batch", 16}});
    FAIL() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("another 'batch': 8, and now 16"));
  }
}

TEST_F(JournalTest, AFolderWithoutOneIsNamed) {
  EXPECT_THROW(ReadJournal(folder_.path(), job_), UsageError);
}

TEST_F(JournalTest, ALineThatIsNoRoundIsNamedByItsNumber) {
  RoundJournal(folder_.path(), job_, false).OnRound(RoundNumber(0));
  const std::filesystem::path file = folder_.path() / kJournalFile;
  WriteFileAtomically(file, ReadFile(file) + "{\"round\": \"first\"}\n");
  try {
    ReadJournal(folder_.path(), job_);
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("line 3"));
  }
}

}  // namespace
}  // namespace stallscope
