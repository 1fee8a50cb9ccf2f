#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stallscope/law/sweep_cell.h"

namespace stallscope {

/// What the networks of a sweep are fed where their family does not say.
struct SweepWorkload {
  int batch = 8;
  int image_size = 64;
  int sequence_length = 32;
};

/// The names of the designed families, as --networks takes them.
std::vector<std::string> SweepFamilies();

/// A list whose parts may hold commas themselves: "resnet18:norm=none,residual=none,vgg11" names two.
std::vector<std::string> SplitNetworks(const std::string& list);

/// The networks that a family or a spec stands for:
///   layers  8 MiB of gradients in 2, 8, 32 and 128 linear layers
///   bytes   8 linear layers with 1, 4, 16 and 64 MiB
///   resnet  depths from 10 to 152, and those of 18 and 50 layers without norms, without residuals, without
///   both vgg     depths from 11 to 19
/// Throws UsageError where there is no such network, or the batch is too small for it.
std::vector<SweepNetwork> DesignedNetworks(const std::string& name, const SweepWorkload& workload);

/// All of several names, each network once.
std::vector<SweepNetwork> DesignedNetworks(const std::vector<std::string>& names,
                                           const SweepWorkload& workload);

}  // namespace stallscope
