#include "stallscope/predict/memory_need.h"

#include <gtest/gtest.h>

#include "stallscope/base/error.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/predict/rate_table.h"

namespace stallscope {
namespace {

Workload Of(int batch, Dtype dtype) {
  return {.batch = batch, .dtype = dtype, .stack = {}, .source = {}};
}

TEST(MemoryNeed, StateIsWeightsGradientsAndSlots) {
  const Network network = BuildNetwork("vgg11", {});
  // 132,863,336 parameters x 4 B x (weight + gradient + momentum); no running statistics.
  EXPECT_DOUBLE_EQ(MemoryNeeded(network, Of(1, Dtype::kFp32), 1).state, 132'863'336.0 * 4 * 3);
  // With amp 2 B more for the copy that products read, with Adam one slot more.
  EXPECT_DOUBLE_EQ(MemoryNeeded(network, Of(1, Dtype::kAmp), 2).state, 132'863'336.0 * (4 * 4 + 2));
}

TEST(MemoryNeed, AMlpKeepsWhatItsLinearLayersReadOnce) {
  const Network network = BuildNetwork("mlp:layers=3,width=512", {});
  // Linear layers read 3,072, 512 and 512 elements; ReLUs work in place on the latter two. The logits go
  // to the loss alone. 4,096 elements x 4 B a sample.
  EXPECT_DOUBLE_EQ(MemoryNeeded(network, Of(10, Dtype::kFp32), 1).activations, 10 * 4096 * 4.0);
}

TEST(MemoryNeed, TheLargestBatchFitsAndTheNextDoesNot) {
  const Network network = BuildNetwork("resnet50", {});
  const Bytes memory{16e9};
  const int largest = LargestBatch(network, Of(1, Dtype::kFp32), 1, memory).value();
  constexpr double kSixteenGib = 16 * 1.073741824e9;
  EXPECT_LE(MemoryNeeded(network, Of(largest, Dtype::kFp32), 1).least, kSixteenGib);
  EXPECT_GT(MemoryNeeded(network, Of(largest + 1, Dtype::kFp32), 1).least, kSixteenGib);
}

TEST(MemoryNeed, AnImpossibleBatchIsRefusedWithTheLargestThatFits) {
  const Network network = BuildNetwork("resnet50", {});
  GpuSpeed gpu;
  gpu.name = "V100-SXM2-16GB";
  gpu.memory = Bytes{16e9};
  try {
    RequireFits(network, Of(4096, Dtype::kFp32), 1, gpu);
    FAIL() << "4,096 images of ResNet-50 do not fit into 16 GB";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("resnet50 with a batch of 4096 in fp32 needs at least"),
              std::string::npos)
        << error.what();
    EXPECT_NE(error.hint.find("--batch"), std::string::npos);
  }
  gpu.memory.reset();
  EXPECT_NO_THROW(RequireFits(network, Of(4096, Dtype::kFp32), 1, gpu));
}

TEST(MemoryNeed, EveryPublishedBatchFits) {
  const Catalog catalog = Catalog::Load();
  const RateTable rates = RateTable::Shipped();
  ASSERT_GT(rates.rates().size(), 300U);
  for (const PublishedRate& rate : rates.rates()) {
    const Network network = BuildNetwork(rate.network, {rate.image_size, rate.sequence_length, {}});
    EXPECT_NO_THROW(
        RequireFits(network, rate.workload, UsualOptimizerSlots(network), SpeedOf(catalog.FindGpu(rate.gpu))))
        << rate.network << " " << rate.workload.batch << " on " << rate.gpu << " from " << rate.source;
  }
}

TEST(MemoryNeed, TwiceTheLargestPublishedBatchesMostlyDoNotFit) {
  // Publishers fill their GPUs: a bound that would let twice their batch through would bound nothing.
  const Catalog catalog = Catalog::Load();
  int refused = 0;
  int filled = 0;
  const RateTable rates = RateTable::Shipped();
  for (const PublishedRate& rate : rates.rates()) {
    if (rate.workload.source != "lambda") continue;
    const Network network = BuildNetwork(rate.network, {rate.image_size, rate.sequence_length, {}});
    const std::optional<int> largest =
        LargestBatch(network, rate.workload, UsualOptimizerSlots(network), *catalog.FindGpu(rate.gpu).memory);
    ++filled;
    refused += largest.value_or(0) < 2 * rate.workload.batch ? 1 : 0;
  }
  EXPECT_GT(refused, 0.8 * filled) << refused << " of " << filled;
}

}  // namespace
}  // namespace stallscope
