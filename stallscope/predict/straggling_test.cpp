#include "stallscope/predict/straggling.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

constexpr const char* kHeader = "round,condition,block,rank,step,total_s,counted,polluted\n";

TEST(Straggling, IsTheSlowestRankOverTheMeanStepByStep) {
  const std::string text = std::string(kHeader) +
                           "0,crowd,0,0,2,1.0,1,0\n0,crowd,0,1,2,3.0,1,0\n"
                           "0,crowd,0,0,3,2.0,1,0\n0,crowd,0,1,3,2.0,1,0\n"
                           // Not counted, disturbed, synchronised, and a step that one rank lacks.
                           "0,crowd,0,0,0,9.0,0,0\n0,crowd,0,1,0,1.0,0,0\n"
                           "1,crowd,4,0,2,9.0,1,1\n1,crowd,4,1,2,1.0,1,1\n"
                           "0,node,1,0,2,9.0,1,0\n0,node,1,1,2,1.0,1,0\n"
                           "2,crowd,5,0,2,9.0,1,0\n";
  const std::optional<Straggling> found = StragglingOf(text, "steps.csv");
  ASSERT_TRUE(found);
  // Means 2 and 2, slowest 3 and 2: 5 / 4.
  EXPECT_NEAR(found->share, 0.25, 1e-12);
  EXPECT_EQ(found->ranks, 2);
  // 0.564 deviations of two, 1.029 of four by Blom's rule.
  EXPECT_NEAR(StragglingAmong(*found, 4) / 0.25, 1.029 / 0.564, 0.05);
  EXPECT_DOUBLE_EQ(StragglingAmong(*found, 2), 0.25);
  EXPECT_DOUBLE_EQ(StragglingAmong(*found, 1), 0);
}

TEST(Straggling, OfOneRankOrOfNoStepsIsUnknownNotZero) {
  EXPECT_FALSE(StragglingOf(std::string(kHeader) + "0,crowd,0,0,2,1.0,1,0\n", "steps.csv"));
  EXPECT_FALSE(StragglingOf(kHeader, "steps.csv"));
  EXPECT_THROW(StragglingOf("a,b\n1,2\n", "other.csv"), Error);
}

}  // namespace
}  // namespace stallscope
