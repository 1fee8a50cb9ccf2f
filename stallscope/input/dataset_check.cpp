#include "stallscope/input/dataset_check.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>

#include "stallscope/input/bad_sample.h"
#include "stallscope/input/file_bytes.h"
#include "stallscope/input/jpeg_decoder.h"
#include "stallscope/input/parallel.h"

namespace stallscope {
namespace {

/// Enough to know the usual sizes, few enough to be done at once on a cold disk.
constexpr std::size_t kSampledHeaders = 256;

/// One thread's tools.
struct Checker {
  FileBytes file;
  JpegDecoder decoder;
  RgbImage pixels;

  JpegSize Check(const std::string& path, bool decode) {
    const JpegSize size = decoder.Open(file.Read(path));
    if (decode) decoder.DecodeAll(pixels);
    return size;
  }
};

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {.least = values.front(),
          .median = values[values.size() / 2],
          .mean = sum / static_cast<double>(values.size()),
          .most = values.back()};
}

DatasetCheck CheckDataset(const ImageFolder& folder, bool decode, int threads,
                          const std::function<bool(std::size_t)>& watch) {
  DatasetCheck check;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < folder.size(); ++i) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(folder.PathOf(i), code);
    if (code) continue;  // opening it will complain
    check.bytes += bytes;
    sizes.push_back(static_cast<double>(bytes));
  }
  check.file_bytes = SpreadOf(std::move(sizes));

  const std::size_t step = decode ? 1 : std::max<std::size_t>(1, folder.size() / kSampledHeaders);
  const std::size_t count = (folder.size() + step - 1) / step;
  std::mutex mutex;
  std::vector<double> widths;
  std::vector<double> heights;
  const auto new_worker = [&]() -> std::function<void(std::size_t)> {
    return [&, checker = std::make_shared<Checker>()](std::size_t index) {
      const std::string path = folder.PathOf(index * step);
      try {
        const JpegSize size = checker->Check(path, decode);
        const std::lock_guard lock(mutex);
        widths.push_back(size.width);
        heights.push_back(size.height);
      } catch (const BadSample& e) {
        const std::lock_guard lock(mutex);
        check.bad.push_back({path, e.what()});
      }
    };
  };
  check.measured = ForEachInParallel(count, threads, new_worker, watch);
  check.complete = check.measured == count;
  check.width = SpreadOf(std::move(widths));
  check.height = SpreadOf(std::move(heights));
  std::sort(check.bad.begin(), check.bad.end(),
            [](const BadFile& a, const BadFile& b) { return a.path < b.path; });
  return check;
}

}  // namespace stallscope
