#include "stallscope/recommend/skypilot_task.h"

#include <fmt/format.h>

#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/document/store.h"

namespace stallscope {
namespace {

constexpr double kLeastDiskGb = 256;  // SkyPilot's default
constexpr double kSystemGb = 100;     // beside the data: the image, the software, checkpoints

/// A value of YAML that needs no thought about its letters.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

}  // namespace

std::string SkypilotTask(const Recommendation& recommendation) {
  if (!recommendation.choice) {
    throw Error("there is no choice that SkyPilot could launch",
                "loosen --deadline, --budget or --confidence");
  }
  const RecommendedCandidate& c = recommendation.candidates[*recommendation.choice];
  if (c.provider == "own" || c.provider == "nvidia") {
    throw Error(fmt::format("SkyPilot rents nothing from '{}'", c.provider),
                "leave such machines out with --exclude, or start the training there yourself");
  }
  const double disk = std::max(kLeastDiskGb, std::ceil(recommendation.money.storage_gb + kSystemGb));
  std::string task = fmt::format("# {}: {} ({} to {}), {:.2f} USD ({:.2f} to {:.2f}); {}.\n", c.pays_for,
                                 "expected " + fmt::format("{:.1f} h", c.hours.mean),
                                 fmt::format("{:.1f}", c.hours.low), fmt::format("{:.1f} h", c.hours.high),
                                 c.cost_usd.mean, c.cost_usd.low, c.cost_usd.high, c.basis);
  task += fmt::format("name: {}\n", Quoted(Slug(recommendation.workload.model) + "-" + Slug(c.instance)));
  task += fmt::format("num_nodes: {}\n", c.nodes);
  task += "resources:\n";
  task += fmt::format("  infra: {}\n", Quoted(c.region.empty() ? c.provider : c.provider + "/" + c.region));
  // "n1-standard-8+1xV100" is the catalog's way of saying a machine with GPUs that are rented apart.
  const std::size_t plus = c.instance.find('+');
  task += fmt::format("  instance_type: {}\n", Quoted(c.instance.substr(0, plus)));
  const std::size_t times = c.instance.find('x', plus == std::string::npos ? plus : plus + 1);
  if (plus != std::string::npos && times != std::string::npos) {
    task += fmt::format("  accelerators: {}\n", Quoted(c.instance.substr(times + 1) + ":" +
                                                       c.instance.substr(plus + 1, times - plus - 1)));
  }
  task += fmt::format("  use_spot: {}\n", c.market == "spot" ? "true" : "false");
  task += fmt::format("  disk_size: {:.0f}\n", disk);
  if (c.spot) {
    task += fmt::format(
        "# Interruptions are expected: `sky jobs launch` restarts this; write a checkpoint every {:.0f} s.\n",
        c.spot->checkpoint_every_s);
  }
  task += fmt::format(
      "setup: |\n"
      "  # Your software and data.\n"
      "  pip install -r requirements.txt\n"
      "run: |\n"
      "  # Your program; it must train with a batch of {} per GPU.\n"
      "  HEAD=$(echo \"$SKYPILOT_NODE_IPS\" | head -n 1)\n"
      "  torchrun --nnodes \"$SKYPILOT_NUM_NODES\" --node-rank \"$SKYPILOT_NODE_RANK\" \\\n"
      "    --nproc-per-node \"$SKYPILOT_NUM_GPUS_PER_NODE\" --master-addr \"$HEAD\" --master-port 29500 \\\n"
      "    train.py\n",
      c.batch_per_device);
  return task;
}

}  // namespace stallscope
