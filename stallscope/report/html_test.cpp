#include "stallscope/report/html.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "stallscope/base/units.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/console.h"
#include "stallscope/report/html_chart.h"
#include "stallscope/report/html_style.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// As fmt prints what is not finite, in text and in attributes; "provenance" and "info" are words.
constexpr const char* kNoNumber = "[ >(\"]-?(nan|inf)[ %<)\"]";

Profile Golden(const std::string& name) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../tests/golden" / name;
  return ProfileFromJson(ReadFile(path), name);
}

std::string Page(const Profile& profile) {
  std::ostringstream out;
  WriteHtml(profile, out);
  return out.str();
}

/// Without the style sheet, which has braces and words of its own.
std::string Body(const Profile& profile) {
  const std::string page = Page(profile);
  return page.substr(page.find("<body>"));
}

/// The name of the first tag that is not closed in its order; empty where all are.
std::string FirstUnbalanced(const std::string& page) {
  const std::set<std::string> void_tags = {"meta", "!doctype", "br"};
  std::vector<std::string> open;
  const std::regex tag("<(/?)([!a-z0-9]+)((?:\"[^\"]*\"|[^\">])*)>");
  for (std::sregex_iterator it(page.begin(), page.end(), tag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    const std::string rest = (*it)[3];
    if (void_tags.contains(name) || rest.ends_with('/')) continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "/" + name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(HtmlText, MarkupInTextStaysText) {
  EXPECT_EQ(Escaped("<a href=\"x\" b='y'>&"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(Escaped("a\x01\x1b\x7f\tb"), "a\uFFFD\uFFFD\uFFFD\tb");
  EXPECT_EQ(Escaped("größe"), "größe");
}

TEST(HtmlText, NumbersKeepTheirPercentSign) {
  EXPECT_EQ(EscapedSentence("26 % of <b> (20 to 32 %)"), "26\u00A0% of &lt;b&gt; (20 to 32\u00A0%)");
}

TEST(HtmlText, NumbersHaveUnits) {
  EXPECT_EQ(TimeText({0.25, 0.245, 0.255}), "250 ms ± 5.00 ms");
  EXPECT_EQ(ShareText({0.3125, 0.3025, 0.3225}), "31.2 % ± 1.0 %");
  EXPECT_EQ(RateText(83.5e6), "83.5 MB/s");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(11689512), "11,689,512");
  EXPECT_EQ(CountText(-1000), "-1,000");
  EXPECT_EQ(Counted(1, "round"), "1 round");
  EXPECT_EQ(Counted(2, "round"), "2 rounds");
}

TEST(HtmlText, ACommandLineCanBePastedIntoAShell) {
  EXPECT_EQ(ShellText({"stallscope", "--data", "my photos", "it's", ""}),
            "stallscope --data 'my photos' 'it'\\''s' ''");
}

TEST(HtmlChart, PositionsArePercentsOfTheAxis) {
  EXPECT_EQ(Position(0.25, 0.8), "31.25%");  // 0.25 / 0.8
  EXPECT_EQ(Position(-1, 0.8), "0%");
  EXPECT_EQ(Position(2, 0.8), "100%");
  EXPECT_EQ(Position(1, 0), "0%");  // an axis of no length draws nothing, and divides by nothing
}

TEST(HtmlChart, TicksAreRoundAndEndWithTheAxis) {
  // 0.8 / 5 = 0.16, and the next round step is 0.2.
  EXPECT_THAT(RoundTicks(0.8), testing::Pointwise(testing::DoubleNear(1e-12), {0.0, 0.2, 0.4, 0.6, 0.8}));
  EXPECT_EQ(TickText(0.2, 0.8), "200 ms");
  EXPECT_EQ(TickText(0, 0.8), "0");
  EXPECT_EQ(TickText(0.5, 2.5), "0.5 s");
  EXPECT_TRUE(RoundTicks(0).empty());
}

TEST(HtmlChart, NegativePartsHaveNoArea) {
  const std::string bar =
      StackedBar({{"compute", "compute", 0.9, 1.125}, {"fetch", "fetch", -0.1, -0.125}}, 0.8, "");
  EXPECT_THAT(bar, HasSubstr("fill-compute"));
  EXPECT_THAT(bar, Not(HasSubstr("fill-fetch")));
  // 0.9 is more than the axis of 0.8: the bar grows with it instead of running over.
  EXPECT_THAT(bar, HasSubstr("x=\"0%\" width=\"100%\""));
}

TEST(Html, TheWholePageHoldsVerdictRungsAndFindings) {
  const Profile profile = Golden("profile-full.json");
  const std::string page = Page(profile);
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_THAT(page, HasSubstr("<meta charset=\"utf-8\">"));
  EXPECT_THAT(page,
              HasSubstr("<title>resnet18 on 2 emulated machines with 1 device each: stallscope profile"));
  EXPECT_THAT(page, HasSubstr(EscapedSentence(Verdict(profile))));
  for (const std::string& rung : ConditionNames()) {
    EXPECT_THAT(page, HasSubstr("scope=\"row\"><b>" + rung + "</b>"));
  }
  for (const Finding& finding : profile.findings) {
    EXPECT_THAT(page, HasSubstr(EscapedSentence(finding.what)));
    EXPECT_THAT(page, HasSubstr(EscapedSentence(finding.why)));
    EXPECT_THAT(page, HasSubstr(EscapedSentence(finding.advice)));
  }
  for (const char* id : {"stalls", "ladder", "parts", "buckets", "loading", "resources", "reference",
                         "findings", "workload", "provenance"}) {
    EXPECT_THAT(page, HasSubstr(fmt::format("<section id=\"{}\"", id)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<a href=\"#{}\"", id)));
  }
}

TEST(Html, EveryNumberOfTheLadderIsTheDocuments) {
  const Profile profile = Golden("profile-full.json");
  const std::string body = Body(profile);
  for (const auto& [name, rung] : profile.conditions) {
    EXPECT_THAT(body, HasSubstr("<span class=\"number\">" + TimeText(rung.step_time_s) + "</span>")) << name;
  }
  for (const Stalls* stalls : {&profile.stalls, &profile.steady_state->stalls}) {
    for (const auto& stall :
         {stalls->compute, stalls->interconnect, stalls->contention, stalls->communication, stalls->network,
          stalls->prep, stalls->copy, stalls->fetch}) {
      EXPECT_THAT(body, HasSubstr(TimeText(stall->seconds)));
      EXPECT_THAT(body, HasSubstr(ShareText(stall->share)));
    }
  }
  for (const BucketInfo& bucket : profile.conditions.at("cluster").buckets) {
    EXPECT_THAT(body, HasSubstr("<td>" + FormatSeconds(bucket.end_s) + "</td><td>" +
                                FormatSeconds(bucket.exposed_s) + "</td>"));
  }
  EXPECT_THAT(body, HasSubstr("4.90 GB"));            // optimal.cache_bytes, 0.9 of 5.44 GB
  EXPECT_THAT(body, HasSubstr("16.0 ms ± 1.00 ms"));  // loader_limit_s
  EXPECT_THAT(body, HasSubstr("226 ms ± 4.00 ms"));   // fetch_limit_s
}

TEST(Html, BothTotalsStandOnOneAxis) {
  const std::string body = Body(Golden("profile-full.json"));
  EXPECT_THAT(body, HasSubstr("First epoch, data from the disk: <b class=\"number\">800 ms ± 14.0 ms</b>"));
  EXPECT_THAT(body,
              HasSubstr("Steady state, 75.0 % of the data in memory: <b class=\"number\">680 ms ± 11.0 ms"));
  // compute is 0.25 s of the longer step, 0.8 s, in both bars.
  const std::string compute = "<svg class=\"on-compute\" x=\"0%\" width=\"31.25%\"";
  const std::size_t first = body.find(compute);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(body.find(compute, first + 1), std::string::npos);
}

TEST(Html, WhatMayBeNothingIsToldAndNotDrawn) {
  Profile profile = Golden("profile-full.json");
  profile.steady_state.reset();
  profile.stalls.network->distinguishable = false;
  profile.stalls.prep->seconds = {-0.08, -0.09, -0.07};
  const std::string body = Body(profile);
  EXPECT_THAT(body, Not(HasSubstr("class=\"on-network\"")));
  EXPECT_THAT(body, Not(HasSubstr("class=\"on-prep\"")));
  EXPECT_THAT(body, HasSubstr("class=\"on-fetch\""));
  EXPECT_THAT(body, HasSubstr("-80.0 ms ± 10.0 ms"));
  EXPECT_THAT(body, HasSubstr("indistinguishable from zero"));
  EXPECT_THAT(body, HasSubstr("negative: something else differs between the rungs"));
  EXPECT_THAT(body, HasSubstr("not drawn"));
}

TEST(Html, HostileNamesStayText) {
  const std::string hostile = "</title><script>alert(1)</script>\"' onload='x";
  Profile profile = Golden("profile-full.json");
  profile.workload.model = profile.host.name = profile.host.kernel = profile.workload.optimizer = hostile;
  profile.workload.dtype = profile.workload.bucket = profile.cluster.device = profile.cluster.backend =
      hostile;
  profile.workload.dataset->path = profile.workload.dataset->kind = hostile;
  profile.reference->file = profile.created = profile.stopped_by = profile.tool.version = hostile;
  profile.host.cpu = profile.tool.torch = profile.failure = hostile;
  profile.conditions.at("cold").cache = hostile;
  profile.argv = {hostile};
  profile.findings = {{Severity::kInfo, hostile, hostile, hostile, std::nullopt}};
  profile.conditions.erase("crowd");
  profile.absent = {{"crowd", hostile}};
  const std::string page = Page(profile);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("' onload")));
  EXPECT_THAT(page, HasSubstr("absent: &lt;/title&gt;&lt;script&gt;"));
  EXPECT_EQ(FirstUnbalanced(page), "");
}

TEST(Html, WhatIsAbsentInTheDocumentIsAbsentOnThePage) {
  const std::string body = Body(Golden("profile.json"));
  for (const char* id : {"buckets", "loading", "resources", "reference"}) {
    EXPECT_THAT(body, Not(HasSubstr(fmt::format("id=\"{}\"", id))));
    EXPECT_THAT(body, Not(HasSubstr(fmt::format("href=\"#{}\"", id))));
  }
  EXPECT_THAT(body, HasSubstr("absent: one machine"));
  EXPECT_THAT(body, HasSubstr("absent: no --data"));
  EXPECT_THAT(body, HasSubstr("A step of node: <b class=\"number\">340 ms ± 10.0 ms</b>"));
  EXPECT_THAT(body, HasSubstr("synthetic data only"));
  EXPECT_THAT(body, HasSubstr("not emulated"));
  for (const char* name : {"First epoch", "Steady state", "<b>network</b>", "<b>prep</b>", "<b>fetch</b>"}) {
    EXPECT_THAT(body, Not(HasSubstr(name)));
  }
}

TEST(Html, AResourceThatOneRungCouldNotReadIsNotZeroThere) {
  Profile profile = Golden("profile-full.json");
  profile.conditions.at("cold").resources->disk_read_bytes_per_s.reset();
  EXPECT_THAT(Body(profile), HasSubstr("not read"));
  for (auto& [name, rung] : profile.conditions) rung.resources->disk_read_bytes_per_s.reset();
  EXPECT_THAT(Body(profile), Not(HasSubstr("disk read")));
  EXPECT_THAT(Body(profile), Not(HasSubstr("not read")));
}

TEST(Html, AnEmptyDocumentStillMakesAPage) {
  Profile profile;
  const std::string page = Page(profile);
  EXPECT_EQ(FirstUnbalanced(page), "");
  EXPECT_THAT(page, HasSubstr("One rung alone shows no stall."));
  EXPECT_THAT(page, Not(ContainsRegex(kNoNumber)));
}

TEST(Html, ALadderWithoutSoloStandsOnItsLowestRung) {
  Profile profile = Golden("profile.json");
  profile.conditions.erase("solo");
  profile.absent.insert(profile.absent.begin(), {.condition = "solo", .reason = "too big for one device"});
  profile.stalls.contention.reset();
  const std::string body = Body(profile);
  EXPECT_THAT(body, HasSubstr("absent: too big for one device"));
  const std::string ladder = body.substr(body.find("<section id=\"ladder\""));
  EXPECT_LT(ladder.find("<b>crowd</b>"), ladder.find("<b>compute</b>"));
  EXPECT_THAT(ladder, HasSubstr("<b>interconnect</b>"));
}

TEST(Html, HundredsOfBucketsStayOneScreenHigh) {
  Profile profile = Golden("profile-full.json");
  std::vector<BucketInfo>& buckets = profile.conditions.at("cluster").buckets;
  buckets.assign(160, buckets.front());
  // 160 rows of at least 3 pixels.
  EXPECT_THAT(Body(profile), HasSubstr("<svg class=\"plot\" width=\"100%\" height=\"480\""));
}

TEST(Html, EveryPageClosesItsTagsAndLoadsNothing) {
  for (const char* name : {"profile.json", "profile-full.json"}) {
    const std::string page = Page(Golden(name));
    EXPECT_EQ(FirstUnbalanced(page), "") << name;
    EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none';"));
    for (const char* loader : {"://", "src=", "<link", "<script", "@import", "url(h", "xlink", "<img"}) {
      EXPECT_THAT(page, Not(HasSubstr(loader))) << name;
    }
    EXPECT_THAT(page, Not(ContainsRegex(kNoNumber))) << name;
  }
}

}  // namespace
}  // namespace stallscope
