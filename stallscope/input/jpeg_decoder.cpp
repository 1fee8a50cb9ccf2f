#include "stallscope/input/jpeg_decoder.h"

#include <fmt/format.h>

// jpeglib.h needs FILE and size_t, and does not include them.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "stallscope/input/bad_sample.h"

namespace stallscope {
namespace {

/// A file's last bytes hold its end-of-image marker, if few bytes of padding follow it. Where it is not
/// found there, the codec itself must say whether the image is whole.
constexpr std::size_t kTailForEndMarker = 64;

/// libjpeg's image with a place to jump to: its error handler must not return.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf jump;
  bool truncated;
};

ErrorManager* ManagerOf(j_common_ptr image) {
  return reinterpret_cast<ErrorManager*>(image->err);
}

void OnError(j_common_ptr image) {
  std::longjmp(ManagerOf(image)->jump, 1);
}

/// Warnings: libjpeg goes on with grey where data is missing, and a training run would not notice.
void OnMessage(j_common_ptr image, int level) {
  if (level >= 0) return;
  const int code = image->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER) ManagerOf(image)->truncated = true;
}

void OnOutput(j_common_ptr /*image*/) {}

std::string_view OtherFormat(std::span<const std::uint8_t> file) {
  struct Magic {
    std::string_view bytes;
    std::string_view name;
  };
  static constexpr std::array kMagics = {Magic{"\x89PNG", "a PNG"}, Magic{"GIF8", "a GIF"},
                                         Magic{"RIFF", "a WebP"},   Magic{"BM", "a BMP"},
                                         Magic{"II*", "a TIFF"},    Magic{"<", "a text file"}};
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 8));
  for (const Magic& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return magic.name;
  }
  return {};
}

void CheckLooksLikeJpeg(std::span<const std::uint8_t> file) {
  if (file.empty()) throw BadSample("is empty");
  if (file.size() >= 2 && file[0] == 0xFF && file[1] == 0xD8) return;
  const std::string_view other = OtherFormat(file);
  if (other.empty()) throw BadSample("is no JPEG");
  throw BadSample(fmt::format("is {}, not a JPEG", other));
}

bool EndsWithEndMarker(std::span<const std::uint8_t> file) {
  const std::size_t begin = file.size() > kTailForEndMarker ? file.size() - kTailForEndMarker : 0;
  for (std::size_t i = file.size(); i >= begin + 2; --i) {
    if (file[i - 2] == 0xFF && file[i - 1] == 0xD9) return true;
  }
  return false;
}

/// Adobe's CMYK is stored inverted: 255 is no ink.
void CmykToRgb(const std::uint8_t* cmyk, std::uint8_t* rgb, int pixels, bool inverted) {
  for (int i = 0; i < pixels; ++i) {
    const int key = inverted ? cmyk[4 * i + 3] : 255 - cmyk[4 * i + 3];
    for (int c = 0; c < 3; ++c) {
      const int ink = inverted ? cmyk[4 * i + c] : 255 - cmyk[4 * i + c];
      rgb[3 * i + c] = static_cast<std::uint8_t>((ink * key + 127) / 255);
    }
  }
}

}  // namespace

struct JpegDecoder::State {
  jpeg_decompress_struct image;
  ErrorManager errors;
  bool whole;  ///< the end marker was seen where it belongs
  std::array<char, JMSG_LENGTH_MAX> message;
  JSAMPROW cmyk_row;    ///< in libjpeg's own memory, gone with the image
  PixelRegion decoded;  ///< in scaled pixels

  void StartDecode(int denominator) {
    image.scale_num = 1;
    image.scale_denom = static_cast<unsigned>(denominator);
    const bool four_inks = image.jpeg_color_space == JCS_CMYK || image.jpeg_color_space == JCS_YCCK;
    image.out_color_space = four_inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&image);
  }

  /// In libjpeg's own memory: gone with the image, also after a jump.
  JSAMPROW NewRow() {
    const std::size_t bytes = static_cast<std::size_t>(image.output_width) * 4;
    return static_cast<JSAMPROW>(
        image.mem->alloc_large(reinterpret_cast<j_common_ptr>(&image), JPOOL_IMAGE, bytes));
  }

  void ReadRows(RgbImage& pixels) {
    const bool four_inks = image.out_color_space == JCS_CMYK;
    if (four_inks) cmyk_row = NewRow();
    for (int y = 0; y < pixels.height; ++y) {
      JSAMPROW row = four_inks ? cmyk_row : pixels.row(y);
      jpeg_read_scanlines(&image, &row, 1);
      if (four_inks) CmykToRgb(row, pixels.row(y), pixels.width, image.saw_Adobe_marker != 0);
    }
  }

  void ReadToEnd() {
    const JDIMENSION left = image.output_height - image.output_scanline;
    // libjpeg does not read what is skipped up to the very end; the last row makes it.
    if (left > 1) jpeg_skip_scanlines(&image, left - 1);
    if (left > 0) {
      JSAMPROW row = NewRow();
      jpeg_read_scanlines(&image, &row, 1);
    }
    jpeg_finish_decompress(&image);
  }

  /// What libjpeg said, as an end of a sentence.
  std::string Complaint() {
    image.err->format_message(reinterpret_cast<j_common_ptr>(&image), message.data());
    return fmt::format("is damaged ({})", message.data());
  }

  [[noreturn]] void Fail() {
    const std::string complaint = Complaint();
    const bool truncated = errors.truncated;
    jpeg_abort_decompress(&image);
    throw BadSample(truncated ? "is truncated" : complaint);
  }

  void CheckWhole() {
    if (errors.truncated) {
      jpeg_abort_decompress(&image);
      throw BadSample("is truncated");
    }
  }
};

// A jump past objects with destructors is undefined: between setjmp and the calls into libjpeg stand only
// plain values.

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {
  state_->image.err = jpeg_std_error(&state_->errors.base);
  state_->errors.base.error_exit = OnError;
  state_->errors.base.emit_message = OnMessage;
  state_->errors.base.output_message = OnOutput;
  if (setjmp(state_->errors.jump) != 0) throw std::bad_alloc();
  jpeg_create_decompress(&state_->image);
}

JpegDecoder::~JpegDecoder() {
  jpeg_destroy_decompress(&state_->image);
}

JpegSize JpegDecoder::Open(std::span<const std::uint8_t> file) {
  CheckLooksLikeJpeg(file);
  State& state = *state_;
  jpeg_abort_decompress(&state.image);
  state.errors.truncated = false;
  state.whole = EndsWithEndMarker(file);
  if (setjmp(state.errors.jump) != 0) state.Fail();
  jpeg_mem_src(&state.image, file.data(), file.size());
  jpeg_read_header(&state.image, TRUE);
  state.CheckWhole();
  const JpegSize size{static_cast<int>(state.image.image_width), static_cast<int>(state.image.image_height)};
  if (std::max(size.width, size.height) > kLargestJpegSide) {
    jpeg_abort_decompress(&state.image);
    throw BadSample(
        fmt::format("is {} x {} pixels, more than {} on a side", size.width, size.height, kLargestJpegSide));
  }
  return size;
}

PixelBox JpegDecoder::Decode(const PixelRegion& region, int denominator, RgbImage& pixels) {
  State& state = *state_;
  if (setjmp(state.errors.jump) != 0) state.Fail();
  state.StartDecode(denominator);
  const auto scaled_width = static_cast<int>(state.image.output_width);
  const auto scaled_height = static_cast<int>(state.image.output_height);
  const int left = std::max(0, region.x / denominator - 1);
  const int top = std::max(0, region.y / denominator - 1);
  const int right = std::min(scaled_width, (region.x + region.width - 1) / denominator + 2);
  const int bottom = std::min(scaled_height, (region.y + region.height - 1) / denominator + 2);
  auto crop_x = static_cast<JDIMENSION>(left);
  auto crop_width = static_cast<JDIMENSION>(right - left);
  jpeg_crop_scanline(&state.image, &crop_x, &crop_width);
  if (top > 0) jpeg_skip_scanlines(&state.image, static_cast<JDIMENSION>(top));
  state.decoded = {static_cast<int>(crop_x), top, static_cast<int>(crop_width), bottom - top};
  pixels.Resize(state.decoded.width, state.decoded.height);
  state.ReadRows(pixels);
  if (!state.whole) state.ReadToEnd();
  state.CheckWhole();
  jpeg_abort_decompress(&state.image);
  const double scale = 1.0 / denominator;
  return {.x = region.x * scale - state.decoded.x,
          .y = region.y * scale - state.decoded.y,
          .width = region.width * scale,
          .height = region.height * scale};
}

void JpegDecoder::DecodeAll(RgbImage& pixels) {
  State& state = *state_;
  if (setjmp(state.errors.jump) != 0) state.Fail();
  state.StartDecode(1);
  pixels.Resize(static_cast<int>(state.image.output_width), static_cast<int>(state.image.output_height));
  state.ReadRows(pixels);
  state.ReadToEnd();
  state.CheckWhole();
}

int ChooseDenominator(const PixelRegion& region, int out_width, int out_height) {
  const double shrink = std::min(static_cast<double>(region.width) / out_width,
                                 static_cast<double>(region.height) / out_height);
  for (const int denominator : {8, 4, 2}) {
    if (shrink >= 1.0 * denominator) return denominator;
  }
  return 1;
}

}  // namespace stallscope
