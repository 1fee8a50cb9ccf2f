#include "stallscope/document/profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/schema_check_for_tests.h"

namespace stallscope {
namespace {

const std::filesystem::path kRepository = std::filesystem::path(__FILE__).parent_path() / "../..";

std::string Golden() {
  return ReadFile(kRepository / "tests/golden/profile.json");
}

/// All six rungs, both totals, buckets, resources, loading, a reference.
std::string FullGolden() {
  return ReadFile(kRepository / "tests/golden/profile-full.json");
}

/// compute + interconnect + network + prep + fetch, of seconds or of shares.
double Sum(const Stalls& stalls, Estimate Stall::*number) {
  double sum = 0;
  for (const auto& stall : {stalls.compute, stalls.interconnect, stalls.network, stalls.prep, stalls.fetch}) {
    sum += ((*stall).*number).mean;
  }
  return sum;
}

std::string ComplaintAbout(const Json& document) {
  try {
    ProfileFromJson(document.dump(), "p.json");
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint.empty());
    return error.what();
  }
  return "";
}

std::string Violation(const Json& document) {
  return SchemaViolation(document, kRepository / "docs/schema/profile-1.schema.json");
}

TEST(Profile, TheGoldenDocumentsSurviveReadingAndWriting) {
  EXPECT_EQ(ToJson(ProfileFromJson(Golden(), "golden")), Golden());
  EXPECT_EQ(ToJson(ProfileFromJson(FullGolden(), "golden")), FullGolden());
}

TEST(Profile, BothTotalsOfTheFullGoldenDocumentClose) {
  const Profile profile = ProfileFromJson(FullGolden(), "golden");
  EXPECT_EQ(profile.conditions.size(), ConditionNames().size());
  // 0.25 + 0.09 + 0.22 + 0.08 + 0.16 = 0.80, the step time of cold.
  EXPECT_NEAR(Sum(profile.stalls, &Stall::seconds), profile.first_epoch->step_time_s.mean, 1e-9);
  EXPECT_NEAR(profile.conditions.at("cold").step_time_s.mean, profile.first_epoch->step_time_s.mean, 1e-9);
  EXPECT_NEAR(Sum(profile.stalls, &Stall::share), 1, 1e-9);
  // A quarter of the data does not fit into memory, and of 0.16 s of fetching 0.04 s remain: 0.68.
  const SteadyState& steady = *profile.steady_state;
  EXPECT_NEAR(steady.stalls.fetch->seconds.mean,
              (1 - steady.cached_share) * profile.stalls.fetch->seconds.mean, 1e-9);
  EXPECT_NEAR(Sum(steady.stalls, &Stall::seconds), steady.step_time_s.mean, 1e-9);
  EXPECT_NEAR(Sum(steady.stalls, &Stall::share), 1, 1e-9);
}

TEST(Profile, AbsentStallsStayAbsent) {
  const Profile profile = ProfileFromJson(Golden(), "golden");
  EXPECT_TRUE(profile.stalls.communication);
  EXPECT_FALSE(profile.stalls.network);
  EXPECT_FALSE(profile.stalls.prep);
  EXPECT_FALSE(profile.first_epoch);
}

TEST(Profile, WhatIsWrittenObeysTheSchema) {
  EXPECT_EQ(Violation(Json::parse(Golden())), "");
  EXPECT_EQ(Violation(Json::parse(FullGolden())), "");
  Profile full = ProfileFromJson(Golden(), "golden");
  const Stall stall = *full.stalls.compute;
  full.stalls = {stall, stall, stall, stall, stall, stall, stall, stall};
  full.first_epoch = FirstEpoch{stall.seconds};
  full.steady_state = SteadyState{stall.seconds, 0.5, 1 << 30, full.stalls};
  full.loader_limit_s = full.fetch_limit_s = stall.seconds;
  full.failure = "rank 1 was killed";
  full.workload.sequence_length = 128;
  full.workload.loader_workers = 4;
  full.workload.dataset = DatasetInfo{"/data", "images", 2000, 1 << 27};
  full.cluster.emulated_bandwidth_bytes_per_s = 1.25e8;
  full.cluster.emulated_disk_bytes_per_s = 1e8;
  ConditionInfo& node = full.conditions.at("node");
  node.buckets = {{1000, 0.1, 0.2, 0.3, 0.05}};
  node.resources = ResourceInfo{0.5, 1e9, 2e9, 1e6, 1e5, 1e7, 1e7, 0.9, 1e10};
  node.cache = "cold";
  full.loader = LoaderInfo{0.001, 0.002, 85000};
  full.optimal = OptimalLoading{3, 0.4, 1 << 26};
  full.reference = ReferenceInfo{"other.json", stall.seconds, stall};
  full.rounds_unverified = 2;
  full.tool.torch.reset();
  EXPECT_EQ(Violation(Json::parse(ToJson(full))), "");
  EXPECT_EQ(ToJson(ProfileFromJson(ToJson(full), "full")), ToJson(full));
}

TEST(Profile, TheSchemaIsStrict) {
  Json document = Json::parse(Golden());
  document["stalls"]["compute"]["surprise"] = 1;
  EXPECT_EQ(Violation(document), "/stalls/compute has an unknown surprise");
  document = Json::parse(Golden());
  document["rounds"].erase("kept");
  EXPECT_EQ(Violation(document), "/rounds lacks kept");
}

TEST(Profile, EveryFieldThatTheSchemaRequiresIsMissedByName) {
  const Json golden = Json::parse(Golden());
  for (const auto& [key, value] : golden.items()) {
    Json document = golden;
    document.erase(key);
    EXPECT_EQ(ComplaintAbout(document), "p.json: field '" + key + "' is missing");
  }
}

TEST(Profile, AComplaintNamesTheWholePath) {
  Json document = Json::parse(Golden());
  document["stalls"]["interconnect"]["contention"]["seconds"]["low"] = "x";
  EXPECT_EQ(ComplaintAbout(document),
            "p.json: field 'stalls.interconnect.contention.seconds.low' is not a number");
  document = Json::parse(Golden());
  document["absent"][1]["condition"] = "tepid";
  EXPECT_EQ(ComplaintAbout(document),
            "p.json: field 'absent[1].condition' is no condition; it can be solo, crowd, node, cluster, warm "
            "or cold");
  document = Json::parse(Golden());
  document["seed"] = -1;
  EXPECT_EQ(ComplaintAbout(document), "p.json: field 'seed' is not a whole number of zero or more");
}

TEST(Profile, AReferenceWithoutItsStallIsMissedByName) {
  Json document = Json::parse(Golden());
  document["reference"] = {{"file", "big.json"},
                           {"node_step_time_s", {{"mean", 1}, {"low", 1}, {"high", 1}}}};
  EXPECT_EQ(ComplaintAbout(document), "p.json: field 'reference.network' is missing");
}

TEST(Profile, ANewerSchemaIsRefusedWithTheFix) {
  Json document = Json::parse(Golden());
  document["schema"] = "stallscope.profile/2";
  try {
    ProfileFromJson(document.dump(), "p.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "p.json: it is a 'stallscope.profile/2', and this program reads 'stallscope.profile/1'");
    EXPECT_EQ(error.hint, "update stallscope to the version that wrote the file");
  }
  document["schema"] = "stallscope.machine/1";
  EXPECT_EQ(ComplaintAbout(document), "p.json: it is a 'stallscope.machine/1', not a 'stallscope.profile/1'");
}

TEST(Profile, BrokenJsonIsRefusedWithItsLine) {
  for (const std::string text : {"{\n\"schema\": \n}", "", "[]", "1e999", "{\"a\":1", "\xff\xfe"}) {
    EXPECT_THROW(ProfileFromJson(text, "p.json"), Error) << text;
  }
  try {
    ProfileFromJson("{\n\"schema\": \n}", "p.json");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "p.json: line 3 is not valid JSON");
  }
}

TEST(Profile, ATruncatedDocumentNeverPasses) {
  const std::string golden = Golden();
  for (std::size_t length = 0; length < golden.size() - 2; length += 37) {
    EXPECT_THROW(ProfileFromJson(golden.substr(0, length), "p.json"), Error) << length;
  }
}

TEST(Profile, ANumberThatIsNotFiniteIsNotWritten) {
  Profile profile;
  profile.step_time_s.high = INFINITY;
  try {
    ToJson(profile);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot write the document: 'step_time_s.high' is not a finite number");
  }
}

}  // namespace
}  // namespace stallscope
