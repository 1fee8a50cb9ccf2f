#include "stallscope/recommend/recommend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/document/schema_check_for_tests.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/recommend/skypilot_task.h"
#include "stallscope/recommend/survey.h"

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

const ComputeModel& Compute() {
  static const ComputeModel model(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(Facts()));
  return model;
}

std::size_t Index(const char* name) {
  return static_cast<std::size_t>(&Facts().FindMachine(name) - Facts().machines().data());
}

RecommendRequest Request(std::vector<std::size_t> machines) {
  RecommendRequest request;
  request.plan.model = "resnet50";
  request.range = {.machines = std::move(machines), .batches = {32}, .max_nodes = 4};
  request.job = {.samples = 1'281'167, .epochs = 90};
  request.question.deadline_h = 48;
  request.filter.spot = true;
  request.money = {.setup_h = 0.1, .storage_usd_gb_month = 0.1, .interruptions_machine_hour = 0.1};
  request.today = "2026-11-17";
  request.training = "90 epochs";
  return request;
}

Recommendation Answer(const RecommendRequest& request) {
  return Recommend(request, Facts(), Compute(), ShippedParameters());
}

TEST(Recommend, TheDocumentKeepsItsSchema) {
  Recommendation answer = Answer(Request({Index("p3.2xlarge"), Index("p3.8xlarge"), Index("p2.xlarge")}));
  answer.created = "2026-11-17T00:00:00Z";
  answer.workload = {
      .model = "resnet50", .dtype = "fp32", .samples = 1'281'167, .epochs = 90, .batch_per_device = {32}};
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "../../docs/schema";
  const Json schema = Json::parse(ReadFile(folder / "recommendation-1.schema.json"));
  EXPECT_EQ(SchemaViolation(Json::parse(ToJson(answer)), schema, schema, ""), "");
}

TEST(Recommend, AMachineWithoutEnoughMemoryIsNeverACandidate) {
  RecommendRequest request = Request({Index("p2.xlarge"), Index("p3.2xlarge"), Index("p4d.24xlarge")});
  request.range.batches = {256};
  request.question.deadline_h = 1e5;
  const Recommendation answer = Answer(request);
  for (const RecommendedCandidate& candidate : answer.candidates)
    EXPECT_EQ(candidate.gpu.substr(0, 4), "A100");
  const auto small = std::count_if(answer.rejected.begin(), answer.rejected.end(),
                                   [](const RejectedMachine& machine) { return machine.reason == "memory"; });
  EXPECT_EQ(small, 2);
}

TEST(Recommend, ARunOfAnotherBatchCorrectsAndIsNoCandidate) {
  RecommendRequest request = Request({Index("p3.16xlarge")});
  const Recommendation before = Answer(request);
  const RecommendedCandidate& plain = before.candidates[*before.choice];
  KnownRun run{.machine = Index("p3.16xlarge"), .nodes = 1, .devices = 8, .batch = 64};
  run.step_s = LogNormal(10 * plain.step_time_s.mean, 0.01);
  request.runs = {run};
  request.question.deadline_h.reset();
  const Recommendation after = Answer(request);
  for (const RecommendedCandidate& candidate : after.candidates) EXPECT_EQ(candidate.batch_per_device, 32);
  EXPECT_EQ(after.candidates[*after.choice].basis, "calibrated");
  EXPECT_GT(after.candidates[*after.choice].step_time_s.mean, 1.5 * plain.step_time_s.mean);
}

TEST(Recommend, AGlobalBatchIsSharedEvenlyOrNotAtAll) {
  RecommendRequest request = Request({Index("p3.8xlarge"), Index("p2.16xlarge")});
  request.range.global_batch = 24;
  request.question.deadline_h.reset();
  const Recommendation answer = Answer(request);
  ASSERT_FALSE(answer.candidates.empty());
  for (const RecommendedCandidate& c : answer.candidates) EXPECT_EQ(c.batch_per_device * c.devices, 24);
  ASSERT_EQ(answer.rejected.size(), 1U) << "24 samples and 16 GPUs";
  EXPECT_EQ(answer.rejected[0].reason, "batch");
}

TEST(Recommend, ATaskOfSkypilotSplitsMachinesWithGpusApart) {
  RecommendRequest request = Request({Index("n1-standard-8+1xV100")});
  request.question.deadline_h.reset();
  Recommendation answer = Answer(request);
  ASSERT_TRUE(answer.choice);
  answer.workload.model = "resnet50";
  const std::string task = SkypilotTask(answer);
  EXPECT_NE(task.find("instance_type: 'n1-standard-8'\n"), std::string::npos) << task;
  EXPECT_NE(task.find("accelerators: 'V100:1'\n"), std::string::npos) << task;
  answer.choice.reset();
  EXPECT_THROW(SkypilotTask(answer), Error);
}

TEST(Survey, PartsThatDoNotApplyAreAbsentAndTheOthersMakeTheStep) {
  SurveyRequest request;
  request.models.push_back({.name = "vgg11", .plan = {}, .runs = {}});
  request.models[0].plan.model = "vgg11";
  request.machines = {Index("p3.2xlarge"), Index("p3.8xlarge")};
  request.nodes = {1, 2};
  Survey survey = SurveyMachines(request, Facts(), Compute(), ShippedParameters());
  ASSERT_EQ(survey.cells.size(), 4U);
  EXPECT_FALSE(survey.cells[0].interconnect) << "one GPU";
  EXPECT_FALSE(survey.cells[0].network) << "one machine";
  EXPECT_TRUE(survey.cells[3].interconnect && survey.cells[3].network);
  EXPECT_FALSE(survey.cells[3].prep) << "nothing is loaded";
  EXPECT_NE(survey.machines[1].shortcomings[0].find("sliced NVLink costs vgg11"), std::string::npos);
  survey.created = "2026-11-17T00:00:00Z";
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "../../docs/schema";
  const Json schema = Json::parse(ReadFile(folder / "survey-1.schema.json"));
  EXPECT_EQ(SchemaViolation(Json::parse(ToJson(survey)), schema, schema, ""), "");
}

TEST(Survey, AMeasuredRunTakesThePlaceOfThePrediction) {
  SurveyRequest request;
  KnownRun run{.machine = Index("p3.8xlarge"), .nodes = 1, .devices = 4, .batch = 32};
  run.step_s = {0.5, 0.49, 0.51};
  run.from = "profile.json";
  request.models.push_back({.name = "vgg11", .plan = {}, .runs = {run}});
  request.models[0].plan.model = "vgg11";
  request.machines = {Index("p3.8xlarge")};
  request.nodes = {1, 2};
  const Survey survey = SurveyMachines(request, Facts(), Compute(), ShippedParameters());
  EXPECT_EQ(survey.cells[0].basis, "measured");
  EXPECT_DOUBLE_EQ(survey.cells[0].step_time_s.mean, 0.5);
  EXPECT_EQ(survey.cells[1].basis, "predicted");
}

}  // namespace
}  // namespace stallscope
