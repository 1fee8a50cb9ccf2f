#include "stallscope/predict/stack.h"

#include <gtest/gtest.h>

namespace stallscope {
namespace {

TEST(Stack, IsFoundInTheWordsOfAFrameworkColumn) {
  EXPECT_EQ(StackOf("PyTorch 2.3.0a0+40ec155e58.nv24.03").stack.name, "pytorch");
  EXPECT_EQ(StackOf("MXNet 1.6.0 (gluon + Horovod)").stack.name, "mxnet");
  EXPECT_EQ(StackOf("Horovod: TCP Horovod (allreduce on GPU with NCCL)").stack.name, "horovod");
  EXPECT_EQ(StackOf("TensorFlow 1.15 NGC 20.03 (Horovod)").stack.name, "horovod");
  EXPECT_EQ(StackOf("TensorFlow 2.3 (official models)").stack.name, "tensorflow-2");
  // A container of June 2020, not version 20.
  EXPECT_EQ(StackOf("TensorFlow TensorFlow 20.06-tf1-py3").stack.name, "horovod");
  EXPECT_EQ(StackOf("PaddlePaddle 1.8.3").stack.name, "paddle-1");
  EXPECT_EQ(StackOf("PaddlePaddle").stack.name, "paddle");
}

TEST(Stack, AnUnknownOneIsTakenForPyTorchAndSaysSo) {
  EXPECT_EQ(StackOf("").stack.name, "pytorch");
  EXPECT_FALSE(StackOf("").known);
  EXPECT_FALSE(StackOf("JAX 0.4").known);
  EXPECT_TRUE(StackOf("pytorch").known);
}

TEST(Stack, HalfPrecisionGradientsNeedHalfPrecisionWeights) {
  const Stack pytorch = StackOf("PyTorch").stack;
  EXPECT_EQ(GradientBytes(pytorch, "fp32", SampleKind::kTokens), 4);
  EXPECT_EQ(GradientBytes(pytorch, "amp", SampleKind::kTokens), 2);
  EXPECT_EQ(GradientBytes(pytorch, "amp", SampleKind::kImage), 4);
  EXPECT_EQ(GradientBytes(StackOf("MXNet").stack, "amp", SampleKind::kImage), 2);
}

}  // namespace
}  // namespace stallscope
