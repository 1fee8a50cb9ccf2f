#include "stallscope/cost/link.h"

#include <algorithm>

namespace stallscope::cost {

Link SharedBy(const Network& network, int pairs) {
  const double flows = static_cast<double>(pairs) * network.flows_per_pair;
  return {.latency = network.interface.latency,
          .bandwidth = {std::min(network.interface.bandwidth.value, flows * network.flow_limit.value)}};
}

}  // namespace stallscope::cost
