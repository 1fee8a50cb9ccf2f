#pragma once

#include "stallscope/network/builder.h"
#include "stallscope/network/spec.h"

namespace stallscope {

/// What a network is built for, all defaults filled in.
struct BuildRequest {
  NetworkSpec spec;
  int image_size = 0;
  int sequence_length = 0;
  int classes = 0;
};

/// The last layer of a classifier starts near zero, so that the first loss is that of a guess.
constexpr double kClassifierStd = 0.01;

Network BuildMlp(const BuildRequest& request);
Network BuildResnet(const BuildRequest& request);

}  // namespace stallscope
