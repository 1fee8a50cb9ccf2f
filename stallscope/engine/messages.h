#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/engine/block.h"

namespace stallscope {

/// A scripted network of the user's. Such a file runs code when it is loaded.
struct TorchscriptConfig {
  std::string file;
  std::vector<std::int64_t> sample_shape;  ///< {3, 224, 224}, or {tokens}
  int classes = 1000;
  std::optional<int> vocabulary;  ///< samples are tokens below this; nothing: images
};

/// What every rank of a job trains. Two machines of one job must agree on all of it.
struct TrainingConfig {
  std::string model = "resnet18";
  std::optional<TorchscriptConfig> torchscript;  ///< instead of `model`
  std::optional<int> image_size;
  std::optional<int> sequence_length;
  std::optional<int> classes;
  int batch = 8;
  int accumulate = 1;
  std::string optimizer = "sgd";  ///< sgd (momentum 0.9) or adamw
  std::string dtype = "fp32";     ///< fp32, or bf16: autocast, with fp32 weights and gradients
  /// "tensor", "model", or a size such as "25MiB".
  std::string bucket = "25MiB";
  bool broadcast_buffers = true;
  std::uint64_t seed = 1;
};

/// The real data of a job. Every machine may have it at a place of its own.
struct DataConfig {
  std::string path;  ///< class folders of JPEGs, or a token file
  int workers = 1;   ///< loader threads of each rank
  double max_bad = 0.01;
  bool follow = false;  ///< links may lead out of the folder
};

/// How the ranks of a job find each other, before they have connections of their own.
struct MeetingConfig {
  enum class Kind {
    kFile,   ///< a file in a private folder: one machine, no port
    kTcp,    ///< the meeting server of rank 0's command
    kAgent,  ///< the TCPStore that torchrun's agent already serves
  };
  Kind kind = Kind::kFile;
  std::string file;
  std::string host;
  int port = 0;
  double timeout_s = 300;
};

/// What one rank process is told in its first line.
struct EngineConfig {
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;
  int node = 0;
  int nodes = 1;
  int devices_per_node = 1;
  MeetingConfig meeting;
  /// The network interface between machines, or an address of this machine on it.
  std::string interface;
  std::string address = "127.0.0.1";
  /// The machines are namespaces of one host: all ranks reduce together in `node`, over the link that this
  /// address belongs to. Empty: the machines are real.
  std::string node_address;
  /// The job has several commands, which watch each other (machine_watch.h); rank 0 has its command's offer
  /// and hands it on.
  bool watched = false;
  std::string watch_offer;
  /// Nobody trains: the ranks measure collectives (collective.h).
  bool measures_collectives = false;
  TrainingConfig training;
  std::optional<DataConfig> data;
};

nlohmann::json ToJson(const TrainingConfig& config);
nlohmann::json ToJson(const EngineConfig& config);
EngineConfig EngineConfigFromJson(const nlohmann::json& json);

nlohmann::json ToJson(const BlockRequest& request);
BlockRequest BlockRequestFromJson(const nlohmann::json& json);
nlohmann::json ToJson(const RankBlock& block);
RankBlock RankBlockFromJson(const nlohmann::json& json);

/// What rank 0 says of the network once it has been built.
struct WorkloadFacts {
  std::string torch_version;
  std::string model;
  std::int64_t parameters = 0;
  std::int64_t gradient_tensors = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t layers = 0;
  std::int64_t forward_macs = 0;
  std::optional<std::int64_t> image_size;
  std::optional<std::int64_t> sequence_length;
};

/// What rank 0 says where the job measures collectives.
struct CollectiveFacts {
  std::string torch_version;
  std::string backend;
};

nlohmann::json ToJson(const CollectiveFacts& facts);
CollectiveFacts CollectiveFactsFromJson(const nlohmann::json& json);

nlohmann::json ToJson(const WorkloadFacts& facts);
WorkloadFacts WorkloadFactsFromJson(const nlohmann::json& json);

}  // namespace stallscope
