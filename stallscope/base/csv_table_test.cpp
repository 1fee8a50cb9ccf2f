#include "stallscope/base/csv_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ComplaintAbout(const std::string& text) {
  try {
    CsvTable::Parse(text, "t.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CsvTable, QuotedCellsHoldCommasQuotesAndLineBreaks) {
  const CsvTable table = CsvTable::Parse("a,b\r\n\"x,\"\"y\"\"\nz\",2\n\n3,4", "t.csv");
  ASSERT_EQ(table.rows().size(), 2U);
  EXPECT_THAT(table.rows()[0].cells, ElementsAre("x,\"y\"\nz", "2"));
  EXPECT_EQ(table.rows()[0].line, 2);
  // The quoted cell takes lines 2 and 3, line 4 is blank.
  EXPECT_EQ(table.rows()[1].line, 5);
}

TEST(CsvTable, ABrokenTableIsRefusedWithItsLine) {
  EXPECT_THAT(ComplaintAbout(""), HasSubstr("t.csv is empty"));
  EXPECT_THAT(ComplaintAbout("a,b\n1,2\n1,2,3\n"),
              HasSubstr("t.csv line 3 has 3 cells, and the header has 2"));
  EXPECT_THAT(ComplaintAbout("a,b\n1,\"2\n3,4\n"), HasSubstr("line 2 has a quote that is never closed"));
  EXPECT_THAT(ComplaintAbout("a,b\n1,\"2\"x\n"), HasSubstr("line 2 has text after a closing quote"));
  EXPECT_THAT(ComplaintAbout("a,,c\n"), HasSubstr("column 2 has no name"));
  EXPECT_THAT(ComplaintAbout("a,b,a\n"), HasSubstr("column 'a' is there twice"));
}

TEST(CsvTable, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_THAT(CsvTable::Parse("\xEF\xBB\xBFgpu\nK80\n", "t.csv").columns(), ElementsAre("gpu"));
}

TEST(CsvRow, ABlankCellIsNothingAndNeverZero) {
  const CsvTable table = CsvTable::Parse("a,b\n,0\n", "t.csv");
  const CsvRow row(table, table.rows()[0]);
  EXPECT_EQ(row.Number("a"), std::nullopt);
  EXPECT_EQ(row.Number("b"), 0.0);
  EXPECT_EQ(row.Number("no such column"), std::nullopt);
}

TEST(CsvRow, ALetterInANumberIsNamedWithFileLineAndColumn) {
  const CsvTable table = CsvTable::Parse("price,count\n1.2x,1.5\n", "t.csv");
  const CsvRow row(table, table.rows()[0]);
  try {
    row.Number("price");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "t.csv line 2: price is '1.2x', which is no number");
  }
  EXPECT_THROW(row.Integer("count"), Error);
  EXPECT_THROW(row.Number("count", 2), Error);
}

TEST(CsvTable, ALineOfEndlesslyManyColumnsIsRefusedAtOnce) {
  std::string header;
  for (int i = 0; i < 1'000'000; ++i) header += "c" + std::to_string(i) + ",";
  EXPECT_THROW(CsvTable::Parse(header + "last\n1\n", "x.csv"), Error);
}

TEST(CsvTable, AMegabyteInACellIsNotQuotedWhole) {
  const CsvTable table = CsvTable::Parse("a\n" + std::string(1'000'000, '9') + "x\n", "x.csv");
  try {
    CsvRow(table, table.rows()[0]).Number("a");
    FAIL() << "it is no number";
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 300U);
  }
}

TEST(CsvCell, WhatIsWrittenIsReadBack) {
  const std::string odd = "a \"quoted\", cell\nof two lines";
  const CsvTable table = CsvTable::Parse("x,y\n" + CsvCell(odd) + "," + CsvCell("plain") + "\n", "t.csv");
  EXPECT_THAT(table.rows()[0].cells, ElementsAre(odd, "plain"));
}

}  // namespace
}  // namespace stallscope
