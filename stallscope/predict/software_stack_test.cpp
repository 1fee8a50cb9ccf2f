#include "stallscope/predict/software_stack.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(SoftwareStack, FamiliesAreReadFromTheNamesThatTablesUse) {
  EXPECT_EQ(ParseStack("PyTorch 1.13.0a0+d0d6b1f").family, "pytorch");
  EXPECT_EQ(ParseStack("MXNet NGC 20.03 (Horovod)").family, "mxnet");
  EXPECT_EQ(ParseStack("tensorpack 0.5 / TF 1.3.0-rc1").family, "tensorflow");
  EXPECT_EQ(ParseStack("Horovod: RDMA Horovod (allreduce on CPU)").family, "tensorflow");
  EXPECT_EQ(ParseStack("OneFlow").family, "oneflow");
  EXPECT_EQ(ParseStack("home-made").family, "other");
}

TEST(SoftwareStack, XlaCompilesUnlessItIsDenied) {
  EXPECT_EQ(ParseStack("TensorFlow 1.15", "batch size=96 with xla").fusion, Fusion::kCompiled);
  EXPECT_EQ(ParseStack("TensorFlow 1.15", "synthetic data & withxla").fusion, Fusion::kCompiled);
  EXPECT_EQ(ParseStack("TensorFlow 1.15", "without xla").fusion, Fusion::kUnfused);
  EXPECT_EQ(ParseStack("MXNet 1.6.0", "W/O xla").fusion, Fusion::kKernels);
  EXPECT_EQ(ParseStack("MindSpore", "without Graph Kernel Fusion").fusion, Fusion::kUnfused);
  EXPECT_EQ(ParseStack("MindSpore", "with Graph Kernel Fusion").fusion, Fusion::kCompiled);
}

TEST(SoftwareStack, OnlyOldPaddleIsUnfused) {
  EXPECT_EQ(ParseStack("PaddlePaddle 1.8.3").fusion, Fusion::kUnfused);
  EXPECT_EQ(ParseStack("PaddlePaddle 2.4").fusion, Fusion::kKernels);
}

TEST(SoftwareStack, PytorchKeepsChannelsFirstUnlessSomebodySaysSo) {
  EXPECT_FALSE(ParseStack("PyTorch 2.3").channels_last);
  EXPECT_TRUE(ParseStack("PyTorch 2.3 channels-last").channels_last);
  EXPECT_TRUE(ParseStack("PyTorch 1.12", "nhwc").channels_last);
  EXPECT_TRUE(ParseStack("PyTorch", "", "NVIDIA/DeepLearningExamples:PyTorch/x").channels_last);
  EXPECT_FALSE(ParseStack("PyTorch", "", "Oneflow-Inc/DLPerf:NVIDIADeepLearningExamples/x").channels_last);
  EXPECT_TRUE(ParseStack("TensorFlow 2.3", "", "", 2020).channels_last);
  EXPECT_FALSE(ParseStack("TensorFlow 1.4", "", "", 2018).channels_last);
}

TEST(SoftwareStack, NamesOfFusionsAreReadBack) {
  for (const Fusion fusion : {Fusion::kKernels, Fusion::kUnfused, Fusion::kCompiled}) {
    EXPECT_EQ(ParseFusion(FusionName(fusion)), fusion);
  }
  EXPECT_EQ(ParseFusion("half"), std::nullopt);
}

}  // namespace
}  // namespace stallscope
