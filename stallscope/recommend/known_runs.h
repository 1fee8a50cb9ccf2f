#pragma once

#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/document/store.h"
#include "stallscope/network/network.h"
#include "stallscope/predict/measurement_table.h"
#include "stallscope/recommend/calibrate.h"

namespace stallscope {

/// What runs must have trained to count.
struct AskedWorkload {
  std::string model;
  std::string dtype;  ///< "fp32"
  std::optional<int> image_size;
  std::optional<int> sequence_length;
};

AskedWorkload WorkloadOf(const Network& network, const std::string& dtype);
AskedWorkload WorkloadOf(const Profile& profile);
/// "resnet50 at 224 pixels in fp32".
std::string Describe(const AskedWorkload& workload);

/// Whether a profile is of that workload, whatever its batch.
bool IsOf(const Profile& profile, const AskedWorkload& asked);

/// Whether a profile says how fast the machine is: not where CPUs stood for its GPUs, and not where its
/// network or disk was emulated.
bool CountsOn(const Profile& profile, const Machine& machine);

/// A profile on `machine` of the catalog as a run.
KnownRun RunFromProfile(const Profile& profile, std::size_t machine, const std::string& file);

/// The runs of the asked workload in a store whose machine is known: the catalog has a machine with the name
/// of the profile's host, or a machine card of that host in the store names the instance. Newest first.
std::vector<KnownRun> RunsOfStore(const std::vector<StoreEntry>& entries, const Catalog& catalog,
                                  const AskedWorkload& asked);

/// The rows of a table of published rates (docs/formats.md) that trained it on whole machines of the catalog,
/// exchanging gradients by all-reduce. A row without a size is of the network's own.
std::vector<KnownRun> PublishedRuns(const std::vector<Measurement>& rows, const std::string& file,
                                    const Catalog& catalog, const AskedWorkload& asked);

}  // namespace stallscope
