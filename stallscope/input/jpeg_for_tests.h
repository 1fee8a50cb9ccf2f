#pragma once

// jpeglib.h needs FILE and size_t, and does not include them.
#include <jpeglib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "stallscope/input/jpeg_encoder.h"
#include "stallscope/input/synthetic_image.h"

namespace stallscope {

inline RgbImage TestImage(std::uint64_t seed, int width, int height) {
  RgbImage image;
  FillSyntheticImage(seed, width, height, image);
  return image;
}

inline std::vector<std::uint8_t> TestJpeg(std::uint64_t seed, int width, int height,
                                          bool progressive = false) {
  return EncodeJpeg(TestImage(seed, width, height), {.quality = 90, .progressive = progressive});
}

/// One colour in four inks, inverted as Adobe's programs write them (libjpeg adds their marker itself).
inline std::vector<std::uint8_t> CmykJpeg(int width, int height, const std::vector<std::uint8_t>& ink) {
  jpeg_compress_struct image;
  jpeg_error_mgr errors;
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  image.err = jpeg_std_error(&errors);
  jpeg_create_compress(&image);
  jpeg_mem_dest(&image, &bytes, &size);
  image.image_width = static_cast<JDIMENSION>(width);
  image.image_height = static_cast<JDIMENSION>(height);
  image.input_components = 4;
  image.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&image);
  jpeg_set_quality(&image, 95, TRUE);
  jpeg_start_compress(&image, TRUE);
  std::vector<std::uint8_t> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), ink.begin(), ink.end());
  JSAMPROW pointer = row.data();
  for (int y = 0; y < height; ++y) jpeg_write_scanlines(&image, &pointer, 1);
  jpeg_finish_compress(&image);
  jpeg_destroy_compress(&image);
  std::vector<std::uint8_t> file(bytes, bytes + size);
  std::free(bytes);
  return file;
}

inline void WriteBytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline void WriteText(const std::filesystem::path& path, const std::string& text) {
  WriteBytes(path, {text.begin(), text.end()});
}

/// FOLDER/class_N/image_M.jpg, `count` of them in `classes` folders.
inline void WriteImages(const std::filesystem::path& folder, int count, int classes = 2, int width = 64,
                        int height = 48) {
  for (int i = 0; i < count; ++i) {
    const auto name = "class_" + std::to_string(i % classes) + "/image_" + std::to_string(1000 + i) + ".jpg";
    WriteBytes(folder / name, TestJpeg(static_cast<std::uint64_t>(i), width, height));
  }
}

}  // namespace stallscope
