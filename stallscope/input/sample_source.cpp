#include "stallscope/input/sample_source.h"

#include <utility>

namespace stallscope {

std::vector<std::string> FilesOf(const SampleSource& source, const std::vector<std::uint32_t>& samples) {
  std::vector<std::string> files;
  for (const std::uint32_t sample : samples) {
    std::string path = source.PathOf(sample);
    if (files.empty() || files.back() != path) files.push_back(std::move(path));
  }
  return files;
}

}  // namespace stallscope
