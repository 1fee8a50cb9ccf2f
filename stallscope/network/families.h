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

Network BuildAlexnet(const BuildRequest& request);
Network BuildVgg(const BuildRequest& request);
Network BuildSqueezenet(const BuildRequest& request);
Network BuildInception(const BuildRequest& request);
Network BuildMobilenetV2(const BuildRequest& request);
Network BuildShufflenetV2(const BuildRequest& request);
Network BuildVit(const BuildRequest& request);
Network BuildBert(const BuildRequest& request);
Network BuildGpt2(const BuildRequest& request);
Network BuildLlama(const BuildRequest& request);
Network BuildMlp(const BuildRequest& request);
Network BuildResnet(const BuildRequest& request);

}  // namespace stallscope
