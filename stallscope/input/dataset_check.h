#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stallscope/input/image_folder.h"
#include "stallscope/input/loader.h"

namespace stallscope {

/// How a number is spread over the files.
struct Spread {
  double least = 0;
  double median = 0;
  double mean = 0;
  double most = 0;
};

Spread SpreadOf(std::vector<double> values);

struct DatasetCheck {
  std::uint64_t bytes = 0;
  Spread file_bytes;
  std::size_t measured = 0;  ///< images whose pixels were counted
  Spread width;
  Spread height;
  std::vector<BadFile> bad;  ///< among the measured ones
  bool complete = true;      ///< false where it was told to stop
};

/// Asks for every file's size and opens images: all of them, to their last byte, where `decode` is set, else
/// the headers of some hundred. `watch(done)`: false stops it.
DatasetCheck CheckDataset(const ImageFolder& folder, bool decode, int threads,
                          const std::function<bool(std::size_t)>& watch);

}  // namespace stallscope
