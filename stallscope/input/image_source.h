#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "stallscope/input/image_folder.h"
#include "stallscope/input/resize.h"
#include "stallscope/input/sample_source.h"

namespace stallscope {

/// JPEGs as training wants them: random-resized-crop, mirrored half of the time, normalised. Only the region
/// that the crop needs is decoded, at the smallest scale that has enough pixels.
class ImageSource : public SampleSource {
 public:
  ImageSource(ImageFolder folder, int image_size);

  std::size_t size() const override { return folder_.size(); }
  std::string PathOf(std::uint32_t sample) const override { return folder_.PathOf(sample); }
  void Shape(Batch& batch, std::size_t samples) const override;
  std::unique_ptr<SampleReader> NewReader() const override;
  std::string Change() const override;

  const ImageFolder& folder() const { return folder_; }
  int image_size() const { return image_size_; }
  const Normalization& normalization() const { return normalization_; }

  /// A reader has met a file that was written after the folder was listed.
  void NoteWritten(std::uint32_t sample) const;

 private:
  ImageFolder folder_;
  int image_size_;
  Normalization normalization_ = ImageNetNormalization();
  /// The first such file + 1; 0: none.
  mutable std::atomic<std::uint32_t> written_ = 0;
};

}  // namespace stallscope
