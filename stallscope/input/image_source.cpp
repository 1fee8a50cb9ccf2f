#include "stallscope/input/image_source.h"

#include <fmt/format.h>

#include <utility>

#include "stallscope/base/clock.h"
#include "stallscope/input/crop.h"
#include "stallscope/input/file_bytes.h"
#include "stallscope/input/jpeg_decoder.h"

namespace stallscope {
namespace {

class ImageReader : public SampleReader {
 public:
  explicit ImageReader(const ImageSource& source) : source_(source) {}

  void Load(std::uint32_t sample, std::uint64_t seed, Batch& batch, std::size_t slot) override {
    const std::span<const std::uint8_t> bytes = ReadFile(sample, batch);
    const double read_s = MonotonicSeconds();
    if (file_.modified_s() > source_.folder().listed_at_s()) source_.NoteWritten(sample);
    const int side = source_.image_size();
    float* out =
        batch.pixels.data() + slot * 3 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    Prepare(bytes, seed, side, out);
    batch.labels[slot] = source_.folder().LabelOf(sample);
    batch.decode_s += MonotonicSeconds() - read_s;
  }

  void ReadOnly(std::uint32_t sample, Batch& batch, std::size_t /*slot*/) override {
    ReadFile(sample, batch);
  }

 private:
  std::span<const std::uint8_t> ReadFile(std::uint32_t sample, Batch& batch) {
    const double begin_s = MonotonicSeconds();
    const std::span<const std::uint8_t> bytes = file_.Read(source_.PathOf(sample));
    batch.read_s += MonotonicSeconds() - begin_s;
    batch.bytes += bytes.size();
    return bytes;
  }

  void Prepare(std::span<const std::uint8_t> bytes, std::uint64_t seed, int side, float* out) {
    Random random(seed);
    const JpegSize size = decoder_.Open(bytes);
    const PixelRegion region = RandomResizedCrop(size, random);
    const bool flip = random.Uniform() < 0.5;
    const PixelBox box = decoder_.Decode(region, ChooseDenominator(region, side, side), pixels_);
    resizer_.Resize(pixels_, box, side, side, flip, source_.normalization(), out);
  }

  const ImageSource& source_;
  FileBytes file_;
  JpegDecoder decoder_;
  RgbImage pixels_;
  Resizer resizer_;
};

}  // namespace

ImageSource::ImageSource(ImageFolder folder, int image_size)
    : folder_(std::move(folder)), image_size_(image_size) {}

void ImageSource::Shape(Batch& batch, std::size_t samples) const {
  const auto side = static_cast<std::size_t>(image_size_);
  batch.pixels.Resize(samples * 3 * side * side);
  batch.labels.resize(samples);
}

std::unique_ptr<SampleReader> ImageSource::NewReader() const {
  return std::make_unique<ImageReader>(*this);
}

void ImageSource::NoteWritten(std::uint32_t sample) const {
  std::uint32_t none = 0;
  written_.compare_exchange_strong(none, sample + 1);
}

std::string ImageSource::Change() const {
  if (const std::uint32_t written = written_)
    return fmt::format("'{}' was written while it was in use", PathOf(written - 1));
  if (const auto changed = folder_.ChangedFolder())
    return fmt::format("files came to or went from '{}' while it was in use", *changed);
  return {};
}

}  // namespace stallscope
