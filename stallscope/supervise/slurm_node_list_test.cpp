#include "stallscope/supervise/slurm_node_list.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmNodeList, RangesKeepTheirLeadingZeros) {
  EXPECT_EQ(ParseSlurmNodeList("node[01-03,7],x1"), (Names{"node01", "node02", "node03", "node7", "x1"}));
  EXPECT_EQ(ParseSlurmNodeList("n[8-11]"), (Names{"n8", "n9", "n10", "n11"}));
  EXPECT_EQ(ParseSlurmNodeList("n[098-101]"), (Names{"n098", "n099", "n100", "n101"}));
}

TEST(SlurmNodeList, ANameAloneIsItself) {
  EXPECT_EQ(ParseSlurmNodeList("gpu-a.example.org"), (Names{"gpu-a.example.org"}));
}

TEST(SlurmNodeList, SeveralBracketsMultiply) {
  EXPECT_EQ(ParseSlurmNodeList("r[1-2]n[1-2]-ib"), (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
}

TEST(SlurmNodeList, NonsenseIsRefused) {
  for (const char* text : {"", "n[", "n]", "n[1-", "n[3-1]", "n[a-b]", "a,,b", "n[]", "n[1[2]]", "n[-1]",
                           "n[0-99999999999]", "n[0-99999999999999999999]"}) {
    EXPECT_THROW(ParseSlurmNodeList(text), UsageError) << text;
  }
}

TEST(SlurmTasksPerNode, RepeatsAreWrittenOut) {
  EXPECT_EQ(ParseSlurmTasksPerNode("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(ParseSlurmTasksPerNode("4"), (std::vector<int>{4}));
}

TEST(SlurmTasksPerNode, NonsenseIsRefused) {
  for (const char* text : {"", "x", "2(x", "2(x)", "2(3)", "2,", "-1", "2(x99999999999)"}) {
    EXPECT_THROW(ParseSlurmTasksPerNode(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace stallscope
