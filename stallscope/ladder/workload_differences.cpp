#include <fmt/format.h>

#include "stallscope/base/units.h"
#include "stallscope/ladder/compare.h"

namespace stallscope {
namespace {

class Sentences {
 public:
  Sentences(const std::string& first, const std::string& second) : first_(first), second_(second) {}

  void Add(const char* what, const std::string& first, const std::string& second) {
    if (first == second) return;
    sentences_.push_back(
        fmt::format("The {} differs: {} in {}, {} in {}.", what, first, first_, second, second_));
  }

  void Add(const char* what, const std::optional<std::int64_t>& first,
           const std::optional<std::int64_t>& second) {
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : "none"; };
    Add(what, text(first), text(second));
  }

  std::vector<std::string> Take() { return std::move(sentences_); }

 private:
  std::string first_;
  std::string second_;
  std::vector<std::string> sentences_;
};

std::string Devices(const ClusterInfo& cluster) {
  return fmt::format("{} machine{} with {} {} device{}{}", cluster.nodes, cluster.nodes == 1 ? "" : "s",
                     cluster.devices_per_node, cluster.device, cluster.devices_per_node == 1 ? "" : "s",
                     cluster.nodes == 1 ? "" : " each");
}

std::string Emulation(const ClusterInfo& cluster) {
  if (!cluster.emulated) return "real machines";
  std::string text = "emulated machines";
  const auto add = [&](const char* what, const std::optional<double>& rate) {
    if (rate) text += fmt::format(" with a {} of {}/s", what, FormatBytes(*rate));
  };
  add("link", cluster.emulated_bandwidth_bytes_per_s);
  add("disk", cluster.emulated_disk_bytes_per_s);
  return text;
}

/// The same files may lie in another folder of another machine: what counts is what they hold.
std::string Dataset(const std::optional<DatasetInfo>& dataset) {
  if (!dataset) return "none";
  return fmt::format("{} {} in {} bytes", dataset->samples, dataset->kind, dataset->bytes);
}

}  // namespace

std::vector<std::string> WorkloadDifferences(const Profile& baseline, const std::string& baseline_name,
                                             const Profile& other, const std::string& other_name) {
  const WorkloadInfo& a = baseline.workload;
  const WorkloadInfo& b = other.workload;
  Sentences sentences(baseline_name, other_name);
  sentences.Add("model", a.model, b.model);
  // The name of a user's own network says little; its size tells two of them apart.
  if (a.model == b.model) sentences.Add("number of parameters", a.parameters, b.parameters);
  sentences.Add("batch per device", a.batch_per_device, b.batch_per_device);
  sentences.Add("accumulation", a.accumulate, b.accumulate);
  sentences.Add("optimiser", a.optimizer, b.optimizer);
  sentences.Add("number format", a.dtype, b.dtype);
  sentences.Add("bucket size", a.bucket, b.bucket);
  sentences.Add("image size", a.image_size, b.image_size);
  sentences.Add("sequence length", a.sequence_length, b.sequence_length);
  sentences.Add("number of loader workers", a.loader_workers, b.loader_workers);
  sentences.Add("data set", Dataset(a.dataset), Dataset(b.dataset));
  sentences.Add("set of devices", Devices(baseline.cluster), Devices(other.cluster));
  sentences.Add("kind of machine", Emulation(baseline.cluster), Emulation(other.cluster));
  return sentences.Take();
}

}  // namespace stallscope
