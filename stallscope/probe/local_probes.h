#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/document/machine_card.h"
#include "stallscope/probe/decode_rate.h"
#include "stallscope/probe/disk_block.h"
#include "stallscope/probe/disk_file.h"
#include "stallscope/probe/rounds.h"
#include "stallscope/probe/triad.h"

namespace stallscope {

struct LocalParts {
  bool decode = true;
  bool memory = true;
  bool disk = true;
};

/// What one machine can be asked by itself: its cores, its memory and a disk.
class LocalProbes {
 public:
  /// Makes what the probes need. A part that cannot be had is noted in `card.absent`. `data`: the folder or
  /// file whose disk is asked. `keep_going` is asked while files are written.
  LocalProbes(const LocalParts& parts, const std::string& data, MachineCard& card, std::uint64_t seed,
              Watchdog* watchdog, const std::function<bool()>& keep_going);

  std::vector<ProbeTask> Tasks();

  /// Puts the rounds' estimates into the card; at least two rounds.
  void Fill(const ProbeRounds& rounds, MachineCard& card) const;

 private:
  void MakeTriad(MachineCard& card);
  void MakeDiskFile(MachineCard& card, Watchdog* watchdog, const std::function<bool()>& keep_going);
  double ReadDisk(const DiskPattern& pattern);
  /// The rate of many passes, one after another; `best` becomes that of the fastest so far.
  double PassesOf(const std::function<double()>& pass, double& best) const;
  void FillDisk(const ProbeRounds& rounds, MachineCard& card) const;

  std::vector<int> cpus_;
  std::uint64_t seed_;
  Random random_;
  bool rotates_memory_ = true;  ///< whether every core is as near to the arrays as the first
  std::optional<DecodeRate> decode_;
  std::unique_ptr<Triad> triad_;
  double best_one_core_ = 0;
  double best_all_cores_ = 0;
  std::string data_;
  std::optional<DiskFile> file_;
  std::uint64_t asked_bytes_ = 0;
  std::optional<std::uint64_t> device_bytes_ = 0;
};

}  // namespace stallscope
