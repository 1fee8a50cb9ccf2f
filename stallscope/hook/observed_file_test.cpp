#include "stallscope/hook/observed_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "stallscope/supervise/temporary_folder.h"

namespace stallscope {
namespace {

class ObservedFileTest : public testing::Test {
 protected:
  void Append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  void BeginAnew() { std::filesystem::rename(path_, folder_.path() / "rank0.old.csv"); }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "rank0.csv";
  ObservedFile file_{path_};
};

TEST_F(ObservedFileTest, WaitsForAFileThatIsNotThereYet) {
  EXPECT_FALSE(file_.Next());
  Append("1\n");
  EXPECT_EQ(file_.Next(), "1");
  EXPECT_FALSE(file_.Next());
}

TEST_F(ObservedFileTest, HandsOutWholeLinesOnly) {
  Append("1\n2");
  EXPECT_EQ(file_.Next(), "1");
  EXPECT_FALSE(file_.Next());
  Append("3\n");
  EXPECT_EQ(file_.Next(), "23");
}

TEST_F(ObservedFileTest, ReadsTheRestOfARenamedFileBeforeItsSuccessor) {
  Append("1\n");
  EXPECT_EQ(file_.Next(), "1");
  Append("2\n");
  BeginAnew();
  EXPECT_EQ(file_.Next(), "2");
  EXPECT_FALSE(file_.Next());
  Append("3\n");
  BeginAnew();
  Append("4\n");
  EXPECT_EQ(file_.Next(), "4");
}

}  // namespace
}  // namespace stallscope
