#include "stallscope/law/sweep_cell.h"

#include <fmt/format.h>

#include "stallscope/base/error.h"

namespace stallscope {

SweepLink ParseSweepLink(const std::string& text) {
  if (text == "unshaped") return {};
  const auto rate = ParseRate(text);
  if (!rate || rate->value <= 0) {
    throw UsageError(fmt::format("--links: '{}' is neither a rate nor 'unshaped'", text),
                     "write them as unshaped,1Gbit,200Mbit");
  }
  return {text, rate};
}

NetworkOptions OptionsOf(const SweepNetwork& network) {
  return {.image_size = network.image_size,
          .sequence_length = network.sequence_length,
          .classes = network.classes};
}

}  // namespace stallscope
