#include "app/commands/probe_job.h"

#include <fmt/format.h>

#include "app/profile_delivery.h"
#include "stallscope/base/clock.h"
#include "stallscope/machine/cloud.h"
#include "stallscope/machine/host.h"
#include "stallscope/machine/interfaces.h"
#include "stallscope/machine/nvml.h"
#include "stallscope/machine/topology.h"
#include "stallscope/probe/local_probes.h"
#include "stallscope/probe/watch.h"

namespace stallscope {

std::string ProbeJob::PartsText() const {
  std::string text;
  const auto add = [&](bool wanted, const std::string& part) {
    if (wanted) text += (text.empty() ? "" : ", ") + part;
  };
  add(options_.parts.decode, "decoding");
  add(options_.parts.memory, "memory");
  add(options_.parts.disk, fmt::format("the disk below {}", options_.data));
  return text.empty() ? "nothing: only facts are read" : text;
}

void ProbeJob::PrintPlan() const {
  fmt::print("measures {}\n", PartsText());
  fmt::print("takes about {}\n", FormatDuration(Duration()));
}

MachineCard ProbeJob::ReadFacts() const {
  MachineCard card;
  card.tool.version = STALLSCOPE_VERSION;
  card.created = UtcNow();
  card.argv = argv_;
  card.host = ReadHost({});
  card.seed = options_.seed;
  card.cloud = RecogniseCloud({});
  card.topology = ReadTopology();
  card.gpus = Nvml().Facts();
  card.interfaces = ReadInterfaces({});
  return card;
}

std::optional<MachineCard> ProbeJob::Measure() {
  const double begin = MonotonicSeconds();
  Say(options_.output, fmt::format("measures {}; takes about {}", PartsText(), FormatDuration(Duration())));
  MachineCard card = ReadFacts();
  LocalProbes probes(options_.parts, options_.data, card, options_.seed,
                     [&] { return work_.Continue([] { return std::string("making a file to read"); }); });
  const std::vector<ProbeTask> tasks = probes.Tasks();
  if (tasks.empty()) {
    card.stopped_by = "end";
    return card;
  }
  const Seconds left = Duration() - Seconds(options_.watch ? 0 : MonotonicSeconds() - begin);
  const ProbeRounds rounds =
      RunRounds(tasks, {.max_time = left, .seed = options_.seed}, [&](int round, const std::string& task) {
        return work_.Continue([&] {
          return fmt::format("round {}, {} of {}: {}", round + 1,
                             FormatDuration(Seconds(MonotonicSeconds() - begin)), FormatDuration(Duration()),
                             task);
        });
      });
  if (rounds.count() < 2) return std::nullopt;
  card.rounds = static_cast<int>(rounds.count());
  card.stopped_by = rounds.stopped_by;
  probes.Fill(rounds, card);
  if (options_.watch && rounds.count() >= kFewestWatchedRounds) card.watch = WatchOf(rounds);
  return card;
}

}  // namespace stallscope
