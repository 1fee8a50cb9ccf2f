#include "stallscope/supervise/run_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using testing::HasSubstr;

std::string Complaint(const std::vector<std::string>& argv, const ToolOptions& options = {}) {
  try {
    RunTool(argv, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(RunTool, GivesStandardOutputOnly) {
  EXPECT_EQ(RunTool({"sh", "-c", "echo out; echo err >&2"}), "out\n");
}

TEST(RunTool, OutputMayBeLongerThanAPipe) {
  EXPECT_EQ(RunTool({"head", "-c", "300000", "/dev/zero"}).size(), 300000U);
}

TEST(RunTool, AFailureQuotesTheCommandAndItsWords) {
  EXPECT_EQ(Complaint({"sh", "-c", "echo no such thing >&2; exit 4"}),
            "'sh -c echo no such thing >&2; exit 4' failed with exit code 4: no such thing");
}

TEST(RunTool, AToolThatHangsIsEnded) {
  EXPECT_THAT(
      Complaint({"sleep", "100"}, {.timeout = Seconds(0.1), .user_namespace = {}, .network_namespace = {}}),
      HasSubstr("'sleep 100' did not end within"));
}

TEST(RunTool, AMissingToolIsNamed) {
  EXPECT_THAT(Complaint({"no-such-tool"}), HasSubstr("cannot start 'no-such-tool'"));
}

}  // namespace
}  // namespace stallscope
