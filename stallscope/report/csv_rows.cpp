#include "stallscope/report/csv_rows.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

std::string_view Mapped(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  const bool known = descriptor >= 0 && fstat(descriptor, &status) == 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = known && size > 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (known && size == 0) return {};
  if (data == MAP_FAILED) {
    throw Error(fmt::format("cannot read '{}': {}", file, std::strerror(why)),
                "give the whole folder of a run");
  }
  madvise(data, size, MADV_SEQUENTIAL);
  return {static_cast<const char*>(data), size};
}

/// Splits in place; keeps the vector's memory.
void Split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

CsvRows::CsvRows(const std::filesystem::path& file, const std::vector<std::string>& columns)
    : file_(file.string()), all_(Mapped(file_)), rest_(all_), columns_(columns) {
  const std::size_t end = rest_.find('\n');
  Split(rest_.substr(0, end), cells_);
  for (const std::string& column : columns_) {
    const auto found = std::find(cells_.begin(), cells_.end(), column);
    if (found == cells_.end()) {
      const std::string what = fmt::format("'{}' has no column '{}'", file_, column);
      if (!all_.empty()) munmap(const_cast<char*>(all_.data()), all_.size());
      throw Error(what, "give the folder as the run left it");
    }
    places_.push_back(static_cast<std::size_t>(found - cells_.begin()));
  }
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
}

CsvRows::~CsvRows() {
  if (!all_.empty()) munmap(const_cast<char*>(all_.data()), all_.size());
}

bool CsvRows::Next() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) return false;
  ++line_;
  Split(rest_.substr(0, end), cells_);
  rest_.remove_prefix(end + 1);
  const std::size_t needed = *std::max_element(places_.begin(), places_.end());
  if (cells_.size() <= needed) {
    throw Error(fmt::format("'{}' line {} has too few cells", file_, line_), "remove that line");
  }
  return true;
}

double CsvRows::Number(std::size_t column) const {
  const std::string_view text = Text(column);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) Fail(column);
  return value;
}

int CsvRows::Integer(std::size_t column) const {
  const std::string_view text = Text(column);
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0) Fail(column);
  return value;
}

std::optional<double> CsvRows::OptionalNumber(std::size_t column) const {
  if (Text(column).empty()) return std::nullopt;
  return Number(column);
}

void CsvRows::Fail(std::size_t column) const {
  throw Error(fmt::format("'{}' line {}: {} '{}' is no number", file_, line_, columns_[column], Text(column)),
              "remove that line, or give the folder as the run left it");
}

}  // namespace stallscope
