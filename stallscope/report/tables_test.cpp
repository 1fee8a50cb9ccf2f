#include "stallscope/report/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/amounts.h"
#include "stallscope/report/page.h"
#include "stallscope/report/report_document.h"
#include "stallscope/report/tables_csv.h"
#include "stallscope/report/tables_markdown.h"

namespace stallscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Golden(const std::string& name) {
  return ReadFile(std::filesystem::path(__FILE__).parent_path() / "../../tests/golden" / name);
}

ReportDocument Full() {
  return ReadReportDocument(Golden("profile-full.json"), "full.json");
}

const ReportTable& Table(const ReportDocument& document, const std::string& id) {
  for (const ReportTable& table : document.tables) {
    if (table.id == id) return table;
  }
  throw Error("no table " + id, "");
}

template <typename Write>
std::string Written(const Write& write, const ReportDocument& document) {
  std::ostringstream out;
  write({document}, out);
  return out.str();
}

TEST(Amounts, AFieldsNameTellsItsUnit) {
  EXPECT_EQ(UnitOf("step_time_s"), "s");
  EXPECT_EQ(UnitOf("disk_read_bytes_per_s"), "B/s");
  EXPECT_EQ(UnitOf("gradient_bytes"), "B");
  EXPECT_EQ(UnitOf("samples_per_s"), "samples/s");
  EXPECT_EQ(UnitOf("cached_share"), "share");
  EXPECT_EQ(UnitOf("cost_usd"), "USD");
  EXPECT_EQ(UnitOf("usd_hour"), "USD/h");
  EXPECT_EQ(UnitOf("rounds"), "");
}

TEST(Amounts, AnIntervalThatLiesAskewIsGivenByItsEnds) {
  EXPECT_EQ(EstimateText({0.25, 0.245, 0.255}, "s"), "250 ms ± 5.00 ms");
  EXPECT_EQ(EstimateText({0.25, 0.2, 0.4}, "s"), "250 ms (200 ms to 400 ms)");
  EXPECT_EQ(EstimateText({2, 2, 2}, ""), "2");  // no interval, no ±
  EXPECT_EQ(AmountText(785, "s"), "13.1 min");  // 785 / 60
  EXPECT_EQ(AmountText(9058.7, "s"), "2.5 h");  // 9058.7 / 3600
  EXPECT_EQ(AmountText(11689512, ""), "11,689,512");
  EXPECT_EQ(AmountText(-1234, ""), "-1,234");
}

TEST(Tables, EveryRungStandsInTheLadderWithItsUnitIntervalAndBasis) {
  const ReportDocument document = Full();
  const ReportTable& ladder = Table(document, "ladder");
  ASSERT_EQ(ladder.rows.size(), 6U);
  EXPECT_EQ(ladder.columns.at(1), "step time");
  const TableCell& cluster = ladder.rows.at(3).at(1);
  EXPECT_EQ(ladder.rows.at(3).front().text, "cluster");
  EXPECT_EQ(cluster.text, "560 ms ± 9.00 ms");
  EXPECT_DOUBLE_EQ(*cluster.value, 0.56);
  EXPECT_DOUBLE_EQ(*cluster.low, 0.551);
  EXPECT_EQ(cluster.unit, "s");
  EXPECT_EQ(cluster.basis, "measured");
}

TEST(Tables, WhatIsAbsentIsAnEmptyCellNeverZero) {
  const ReportDocument document = Full();
  const ReportTable& ladder = Table(document, "ladder");
  const auto column = static_cast<std::size_t>(
      std::find(ladder.columns.begin(), ladder.columns.end(), "transfer of gradients") -
      ladder.columns.begin());
  // solo exchanges no gradients.
  EXPECT_EQ(ladder.rows.front().at(column).text, "");
  EXPECT_FALSE(ladder.rows.front().at(column).value);
}

TEST(Tables, AStallThatMayBeNothingSaysSo) {
  const ReportDocument document = Full();
  EXPECT_EQ(Table(document, "stalls").rows.at(2).front().text, "of it contention");
  EXPECT_EQ(Table(document, "stalls").rows.at(2).back().text, "indistinguishable from zero");
}

TEST(Tables, RowsAreAsWideAsTheirHeads) {
  for (const char* name : {"profile.json", "profile-full.json", "machine.json"}) {
    for (const ReportTable& table : ReadReportDocument(Golden(name), name).tables) {
      EXPECT_FALSE(table.rows.empty());
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << name << table.id;
    }
  }
}

TEST(Tables, TheCsvHoldsTheDocumentsOwnNumbers) {
  const std::string csv = Written(WriteTablesCsv, Full());
  EXPECT_THAT(csv, HasSubstr("\nfull.json,profile,ladder,4,cluster,step time,0.56,0.551,0.569,s,measured\n"));
  EXPECT_THAT(csv, HasSubstr("document,kind,table,row,item,column,value,low,high,unit,basis\n"));
}

TEST(Tables, NamesStayTextInMarkdownAndInCsv) {
  Json json = Json::parse(Golden("profile-full.json"));
  json["workload"]["model"] = "<b>|*x*, \"y\"";
  const ReportDocument document = ReadReportDocument(json.dump(), "a,b.json");
  const std::string markdown = Written(WriteMarkdown, document);
  EXPECT_THAT(markdown, HasSubstr("&lt;b&gt;\\|\\*x\\*, \"y\""));
  EXPECT_THAT(markdown, Not(HasSubstr("<b>")));
  EXPECT_THAT(Written(WriteTablesCsv, document), HasSubstr("\"<b>|*x*, \"\"y\"\"\""));
  EXPECT_THAT(Written(WriteTablesCsv, document), HasSubstr("\"a,b.json\",profile"));
}

TEST(Page, NoTextOfADocumentCanEndItsElement) {
  Json json = Json::parse(Golden("profile-full.json"));
  json["workload"]["model"] = "</script><script>alert(1)</script><!--</title>";
  const std::string page = Written(WritePage, ReadReportDocument(json.dump(), "p.json"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<!--</title>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
  EXPECT_THAT(page, HasSubstr("<title>&#60;/script&#62;"));
}

TEST(Page, LoadsNothingAndRunsOnlyItsOwnScript) {
  const std::string page = Written(WritePage, Full());
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  for (const char* loading : {"<link", "<img", "<iframe", " src=", "@import", "url(http"}) {
    EXPECT_THAT(page.substr(0, page.find("<script")), Not(HasSubstr(loading)));
  }
  for (const char* mark : {"@TITLE@", "@FALLBACK@", "@DATA@"}) EXPECT_THAT(page, Not(HasSubstr(mark)));
}

TEST(Page, WithoutItsDocumentsItIsSmall) {
  EXPECT_LT(Written(WritePage, Full()).size(), 1'500'000U);
}

std::string ComplaintAbout(const std::string& text) {
  try {
    ReadReportDocument(text, "d.json");
  } catch (const Error& e) {
    EXPECT_FALSE(e.hint.empty());
    return e.what();
  }
  return "";
}

TEST(ReportDocument, WhatIsWrongIsNamed) {
  EXPECT_THAT(ComplaintAbout("{}"), HasSubstr("no field 'schema'"));
  EXPECT_THAT(ComplaintAbout(R"({"schema": "stallscope.nothing/1"})"), HasSubstr("stallscope.nothing/1"));
  EXPECT_THAT(ComplaintAbout(R"({"schema": "stallscope.comparison/1"})"), HasSubstr("lacks"));
  Json card = Json::parse(Golden("machine.json"));
  card["rounds"] = "many";
  EXPECT_THAT(ComplaintAbout(card.dump()), HasSubstr("rounds"));
}

TEST(ReportDocument, TheVerdictIsThatOfTheDocument) {
  EXPECT_THAT(Full().verdict, HasSubstr("32 % of a step waits for the network"));
  EXPECT_EQ(Full().title, "resnet18 on 2 emulated machines with 1 device each");
  EXPECT_EQ(ReadReportDocument(Golden("machine.json"), "m").title, "amber (p4d.24xlarge)");
}

}  // namespace
}  // namespace stallscope
