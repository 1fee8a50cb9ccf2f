#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/engine/block.h"

namespace stallscope {

/// The mean of every number over those that have it; nothing where no one has any.
std::optional<ResourceInfo> MeanOfResources(const std::vector<ResourceInfo>& infos);

/// What the machines did in a block, as the mean over machines; nothing where no samples were taken.
///
/// Of each machine those samples count that lie between the start of its ranks' first counted step and the
/// end of its ranks' block. Rates are the growth of a counter from the first to the last of them over the
/// time between; the other numbers are means. A counter that went backwards (a disk or interface went away)
/// has no rate.
///
/// `one_host`: the machines are namespaces of one host. They share its clock, so that all of them are looked
/// at while any of them trains; each reports the host's CPU, memory and disks, but its own network. Without
/// `cores_per_machine` (of the host, where that is one) there is no busy share.
std::optional<ResourceInfo> ResourcesOf(const BlockResult& block, std::size_t first_step, bool one_host,
                                        std::optional<int> cores_per_machine);

}  // namespace stallscope
