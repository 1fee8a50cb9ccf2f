#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stallscope {

/// Values along a course whose length is not known beforehand, in at most `limit` bins of equal width that
/// widen as the course goes on. Every bin keeps its least and its largest value, so that no extreme is lost.
class BinnedCourse {
 public:
  struct Bin {
    std::int64_t count = 0;
    double sum = 0;
    double least = 0;
    double largest = 0;

    double Mean() const { return sum / static_cast<double>(count); }
  };

  explicit BinnedCourse(std::size_t limit) : limit_(limit) {}

  /// A value at a place; places are zero or more, and may come in any order.
  void Add(std::int64_t place, double value) {
    while (place / width_ >= static_cast<std::int64_t>(limit_)) Widen();
    const auto index = static_cast<std::size_t>(place / width_);
    if (index >= bins_.size()) bins_.resize(index + 1);
    Join(bins_[index], {1, value, value, value});
  }

  /// Places that one bin covers.
  std::int64_t width() const { return width_; }
  const std::vector<Bin>& bins() const { return bins_; }

 private:
  static void Join(Bin& into, const Bin& from) {
    if (from.count == 0) return;
    into.least = into.count == 0 ? from.least : std::min(into.least, from.least);
    into.largest = into.count == 0 ? from.largest : std::max(into.largest, from.largest);
    into.count += from.count;
    into.sum += from.sum;
  }

  void Widen() {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const Bin bin = bins_[i];
      if (i % 2 == 0) {
        bins_[i / 2] = bin;
      } else {
        Join(bins_[i / 2], bin);
      }
    }
    bins_.resize((bins_.size() + 1) / 2);
    width_ *= 2;
  }

  std::size_t limit_;
  std::int64_t width_ = 1;
  std::vector<Bin> bins_;
};

}  // namespace stallscope
