#include "stallscope/probe/decode_rate.h"

#include <numeric>

#include "stallscope/base/clock.h"
#include "stallscope/input/jpeg_decoder.h"
#include "stallscope/input/jpeg_encoder.h"
#include "stallscope/input/synthetic_image.h"
#include "stallscope/probe/crew.h"

namespace stallscope {
namespace {

/// Images differ in what they cost; so many of them together do not.
constexpr int kImages = 24;

}  // namespace

DecodeRate::DecodeRate() {
  RgbImage image;
  for (int i = 0; i < kImages; ++i) {
    FillSyntheticImage(static_cast<std::uint64_t>(i), kWidth, kHeight, image);
    images_.push_back(EncodeJpeg(image, {.quality = kSyntheticQuality}));
  }
}

double DecodeRate::Measure(const std::vector<int>& cpus, double seconds) const {
  std::vector<double> rates(cpus.size());
  RunOnCores(cpus, [&](std::size_t worker) {
    JpegDecoder decoder;
    RgbImage pixels;
    const auto decode = [&](std::size_t index) {
      decoder.Open(images_[index % images_.size()]);
      decoder.DecodeAll(pixels);
    };
    decode(worker);  // the first one allocates
    const double begin = MonotonicSeconds();
    std::size_t done = 0;
    double now = begin;
    // Whole passes over the images, so that every block decodes the same.
    while (now - begin < seconds || done % images_.size() != 0) {
      decode(worker + done++);
      now = MonotonicSeconds();
    }
    rates[worker] = static_cast<double>(done) / (now - begin);
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

double DecodeRate::mean_bytes() const {
  double bytes = 0;
  for (const auto& image : images_) bytes += static_cast<double>(image.size());
  return bytes / static_cast<double>(images_.size());
}

}  // namespace stallscope
