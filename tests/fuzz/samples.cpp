#include <vector>

#include "stallscope/input/jpeg_decoder.h"
#include "stallscope/input/token_file.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace stallscope {
namespace {

/// A header may promise any size, and decoding megapixels says nothing that some kilopixels do not say.
constexpr int kLargestSide = 256;

}  // namespace

void ParseJpeg(std::string_view bytes) {
  // A copy of its own, so that reading beyond it is seen.
  const std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
  JpegDecoder decoder;
  const JpegSize size = decoder.Open(file);
  if (size.width > kLargestSide || size.height > kLargestSide) return;
  RgbImage pixels;
  const PixelRegion middle{.x = size.width / 4,
                           .y = size.height / 4,
                           .width = (size.width + 1) / 2,
                           .height = (size.height + 1) / 2};
  for (const int denominator : {1, 2, 4, 8}) {
    decoder.Open(file);
    decoder.Decode(middle, denominator, pixels);
  }
  decoder.Open(file);
  decoder.DecodeAll(pixels);
}

void ParseTokens(std::string_view bytes) {
  static const ScratchFile two("tokens.u16");
  static const ScratchFile four("tokens.u32");
  for (const ScratchFile* file : {&two, &four}) {
    file->Write(bytes);
    const TokenFile tokens(file->path());
    std::vector<std::int64_t> read(7);
    tokens.Read(tokens.size() / 2, read);
  }
}

}  // namespace stallscope
