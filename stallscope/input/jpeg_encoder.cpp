#include "stallscope/input/jpeg_encoder.h"

#include <fmt/format.h>

// jpeglib.h needs FILE and size_t, and does not include them.
#include <jpeglib.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

struct Encoder {
  jpeg_compress_struct image;
  jpeg_error_mgr errors;
  std::jmp_buf jump;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  ~Encoder() {
    jpeg_destroy_compress(&image);
    std::free(bytes);  // libjpeg's memory destination uses malloc
  }
};

void OnError(j_common_ptr image) {
  std::longjmp(static_cast<Encoder*>(image->client_data)->jump, 1);
}

}  // namespace

std::vector<std::uint8_t> EncodeJpeg(const RgbImage& pixels, const JpegEncoding& encoding) {
  const auto encoder = std::make_unique<Encoder>();
  jpeg_compress_struct& image = encoder->image;
  image.err = jpeg_std_error(&encoder->errors);
  encoder->errors.error_exit = OnError;
  image.client_data = encoder.get();
  if (setjmp(encoder->jump) != 0) {
    throw Error(fmt::format("cannot write a JPEG of {} x {} pixels", pixels.width, pixels.height),
                "choose a size between 1x1 and 16384x16384");
  }
  jpeg_create_compress(&image);
  jpeg_mem_dest(&image, &encoder->bytes, &encoder->size);
  image.image_width = static_cast<JDIMENSION>(pixels.width);
  image.image_height = static_cast<JDIMENSION>(pixels.height);
  image.input_components = 3;
  image.in_color_space = JCS_RGB;
  jpeg_set_defaults(&image);
  jpeg_set_quality(&image, encoding.quality, TRUE);
  if (encoding.progressive) jpeg_simple_progression(&image);
  jpeg_start_compress(&image, TRUE);
  while (image.next_scanline < image.image_height) {
    // libjpeg takes rows that it may write to, and does not.
    auto* row = const_cast<JSAMPROW>(pixels.row(static_cast<int>(image.next_scanline)));
    jpeg_write_scanlines(&image, &row, 1);
  }
  jpeg_finish_compress(&image);
  return {encoder->bytes, encoder->bytes + encoder->size};
}

}  // namespace stallscope
