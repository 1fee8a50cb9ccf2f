// Our side of bench/loader/compare.py. It stays up and takes one order a line:
//   load WORKERS SAMPLES   our loader, from its start to the last batch
//   bare SAMPLES           libjpeg-turbo's full decode, one thread, files already in memory
//   list FOLDER            listing and shuffling a folder
// Every answer is the seconds that it took.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/input/file_bytes.h"
#include "stallscope/input/image_source.h"
#include "stallscope/input/jpeg_decoder.h"
#include "stallscope/input/loader.h"
#include "stallscope/input/sampler.h"

namespace stallscope {
namespace {

constexpr int kImageSize = 224;
constexpr std::size_t kBatch = 32;

class Bench {
 public:
  explicit Bench(const std::string& folder) : source_(ImageFolder::List(folder), kImageSize) {}

  double Load(int workers, std::size_t samples) {
    auto& loader = loaders_[workers];
    if (!loader)
      loader = std::make_unique<Loader>(source_, LoaderOptions{.workers = workers, .batch = kBatch});
    std::vector<std::uint32_t> order = NextOrder(samples);
    const double begin_s = MonotonicSeconds();
    loader->Begin(std::move(order), epoch_);
    while (loader->Next()) {
    }
    return MonotonicSeconds() - begin_s;
  }

  double Bare(std::size_t samples) {
    std::vector<std::vector<std::uint8_t>> files;
    for (const std::uint32_t sample : NextOrder(samples)) {
      const auto bytes = file_.Read(source_.PathOf(sample));
      files.emplace_back(bytes.begin(), bytes.end());
    }
    const double begin_s = MonotonicSeconds();
    for (const auto& file : files) {
      decoder_.Open(file);
      decoder_.DecodeAll(pixels_);
    }
    return MonotonicSeconds() - begin_s;
  }

 private:
  std::vector<std::uint32_t> NextOrder(std::size_t samples) {
    std::vector<std::uint32_t> order = ShuffledEpoch(source_.size(), 1, ++epoch_);
    order.resize(std::min(samples, order.size()));
    return order;
  }

  ImageSource source_;
  std::map<int, std::unique_ptr<Loader>> loaders_;
  std::uint64_t epoch_ = 0;
  FileBytes file_;
  JpegDecoder decoder_;
  RgbImage pixels_;
};

double List(const std::string& folder) {
  const double begin_s = MonotonicSeconds();
  const ImageFolder list = ImageFolder::List(folder);
  const auto order = ShuffledEpoch(list.size(), 1, 0);
  return order.empty() ? 0 : MonotonicSeconds() - begin_s;
}

int Serve(const std::string& folder) {
  Bench bench(folder);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string order;
    words >> order;
    double seconds = 0;
    if (order == "load") {
      int workers = 1;
      std::size_t samples = 0;
      words >> workers >> samples;
      seconds = bench.Load(workers, samples);
    } else if (order == "bare") {
      std::size_t samples = 0;
      words >> samples;
      seconds = bench.Bare(samples);
    } else if (order == "list") {
      std::string other;
      words >> other;
      seconds = List(other);
    }
    std::cout << fmt::format("{:.9f}", seconds) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace stallscope

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "error: no folder was given\n  try: bench/loader/compare.py, which starts this program\n";
    return 2;
  }
  try {
    return stallscope::Serve(argv[1]);
  } catch (const stallscope::Error& e) {
    std::cerr << "error: " << e.what() << "\n  try: " << e.hint << '\n';
    return 1;
  }
}
