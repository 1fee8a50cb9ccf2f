#include "stallscope/recommend/known_runs.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

const Catalog& Facts() {
  static const Catalog catalog = Catalog::Load();
  return catalog;
}

Profile Trained(const char* model, std::optional<std::int64_t> image_size) {
  Profile profile;
  profile.workload.model = model;
  profile.workload.dtype = "float32";
  profile.workload.image_size = image_size;
  profile.workload.batch_per_device = 32;
  profile.cluster.device = "cuda";
  profile.cluster.nodes = 1;
  profile.cluster.devices_per_node = 4;
  profile.step_time_s = {0.1, 0.1, 0.1};
  profile.host.name = "p3.8xlarge";
  return profile;
}

std::size_t RunsKept(const Profile& profile, const AskedWorkload& asked) {
  StoreEntry entry;
  entry.profile = profile;
  return RunsOfStore({entry}, Facts(), asked).size();
}

TEST(KnownRuns, AnotherSizeOfTheSampleIsAnotherWorkload) {
  const AskedWorkload asked = WorkloadOf(BuildNetwork("resnet50", {}), "fp32");
  EXPECT_EQ(Describe(asked), "resnet50 at 224 pixels in fp32");
  EXPECT_TRUE(IsOf(Trained("resnet50", 224), asked));
  EXPECT_FALSE(IsOf(Trained("resnet50", 64), asked));
  EXPECT_FALSE(IsOf(Trained("resnet18", 224), asked));
}

TEST(KnownRuns, CpusAndEmulatedNetworksSayNothingOfAMachineWithGpus) {
  const AskedWorkload asked = WorkloadOf(BuildNetwork("resnet50", {}), "fp32");
  Profile profile = Trained("resnet50", 224);
  EXPECT_EQ(RunsKept(profile, asked), 1U);
  profile.cluster.emulated = true;
  EXPECT_EQ(RunsKept(profile, asked), 0U);
  profile.cluster.emulated = false;
  profile.cluster.device = "cpu";
  EXPECT_EQ(RunsKept(profile, asked), 0U);
}

Measurement Row(const char* network, const char* sync) {
  Measurement row;
  row.network = network;
  row.instance = "p3.8xlarge";
  row.gpus_per_node = 4;
  row.batch_per_gpu = 32;
  row.samples_per_s = 1280;
  row.sync = sync;
  return row;
}

TEST(KnownRuns, PublishedRowsAreOfTheNetworksOwnSizeAndOfAllReduce) {
  const auto count = [](const Measurement& row, const AskedWorkload& asked) {
    return PublishedRuns({row}, "rates.csv", Facts(), asked).size();
  };
  const AskedWorkload asked = WorkloadOf(BuildNetwork("resnet50", {}), "fp32");
  // 4 x 32 samples / 1280 a second.
  EXPECT_DOUBLE_EQ(PublishedRuns({Row("resnet50", "allreduce")}, "f", Facts(), asked).at(0).step_s.mean, 0.1);
  EXPECT_EQ(count(Row("resnet50", ""), asked), 1U);
  EXPECT_EQ(count(Row("resnet50", "parameter-server"), asked), 0U);
  const NetworkOptions small{.image_size = 64, .sequence_length = {}, .classes = {}};
  EXPECT_EQ(count(Row("resnet50", "allreduce"), WorkloadOf(BuildNetwork("resnet50", small), "fp32")), 0U);

  const auto text = [](std::optional<int> length) {
    return WorkloadOf(BuildNetwork("bert_base", {.image_size = {}, .sequence_length = length, .classes = {}}),
                      "fp32");
  };
  const int usual = text({}).sequence_length.value();
  Measurement row = Row("bert_base", "allreduce");
  EXPECT_EQ(count(row, text(usual)), 1U);
  EXPECT_EQ(count(row, text(usual / 2)), 0U);
  row.sequence_length = usual / 2;
  EXPECT_EQ(count(row, text(usual / 2)), 1U);
  EXPECT_EQ(count(row, text(usual)), 0U);
}

}  // namespace
}  // namespace stallscope
