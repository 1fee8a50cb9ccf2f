#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/units.h"
#include "stallscope/report/html_chart.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

/// Hundreds of buckets, one per tensor, still fit a screen.
constexpr double kPictureHeight = 420;
constexpr double kTallestRow = 24;
constexpr double kLowestRow = 3;
/// Labels need this much, so with low rows only some have one.
constexpr double kLabelHeight = 15;

struct Timeline {
  std::string rung;
  const ConditionInfo* condition = nullptr;
};

Timeline TimelineOf(const Profile& profile) {
  for (const char* rung : {"cluster", "node"}) {
    const auto found = profile.conditions.find(rung);
    if (found != profile.conditions.end() && !found->second.buckets.empty()) return {rung, &found->second};
  }
  return {};
}

class Picture {
 public:
  explicit Picture(const Timeline& timeline) : timeline_(timeline), buckets_(timeline.condition->buckets) {
    end_s_ = timeline.condition->step_time_s.mean;
    for (const BucketInfo& bucket : buckets_) {
      end_s_ = std::max(end_s_, bucket.end_s);
      last_ready_s_ = std::max(last_ready_s_, bucket.ready_s);
    }
    row_ = std::clamp(kPictureHeight / static_cast<double>(buckets_.size()), kLowestRow, kTallestRow);
    height_ = row_ * static_cast<double>(buckets_.size());
  }

  std::string Html() const {
    return "<div class=\"timeline\">" + Labels() + "<div>" + Plot() + TimeAxis(end_s_) + "</div></div>\n";
  }

 private:
  std::string Labels() const {
    const auto every = static_cast<std::size_t>(std::ceil(kLabelHeight / row_));
    std::string labels =
        fmt::format("<svg class=\"labels\" width=\"92\" height=\"{:.4g}\" aria-hidden=\"true\">", height_);
    for (std::size_t i = 0; i < buckets_.size(); i += every) {
      const double middle = std::max(row_ * (static_cast<double>(i) + 0.5), kLabelHeight / 2);
      labels += fmt::format("<text x=\"84\" y=\"{:.5g}\">{}: {}</text>", middle, i + 1,
                            FormatBytes(static_cast<double>(buckets_[i].bytes)));
    }
    return labels + "</svg>";
  }

  std::string Line(const char* style, double at_s) const {
    const std::string x = Position(at_s, end_s_);
    return fmt::format("<line class=\"{}\" x1=\"{}\" x2=\"{}\" y1=\"0\" y2=\"100%\"/>", style, x, x);
  }

  std::string Stretch(const char* style, double from_s, double to_s, double y, double height) const {
    if (to_s <= from_s) return "";
    return fmt::format("<rect class=\"{}\" x=\"{}\" width=\"{}\" y=\"{:.5g}\" height=\"{:.4g}\"/>", style,
                       Position(from_s, end_s_), Position(to_s - from_s, end_s_), y, height);
  }

  std::string Row(std::size_t index) const {
    const BucketInfo& bucket = buckets_[index];
    const double top = row_ * static_cast<double>(index);
    const double inset = row_ > 8 ? 3 : 0;
    const double exposed_from = std::max(bucket.begin_s, bucket.end_s - bucket.exposed_s);
    const std::string ready = Position(bucket.ready_s, end_s_);
    return Stretch("fill-queued", bucket.ready_s, bucket.begin_s, top + row_ / 2 - 1, 2) +
           Stretch("fill-hidden", bucket.begin_s, exposed_from, top + inset, row_ - 2 * inset) +
           Stretch("fill-exposed", exposed_from, bucket.end_s, top + inset, row_ - 2 * inset) +
           Stretch("hatch", exposed_from, bucket.end_s, top + inset, row_ - 2 * inset) +
           fmt::format("<line class=\"ready\" x1=\"{0}\" x2=\"{0}\" y1=\"{1:.5g}\" y2=\"{2:.5g}\"/>\n", ready,
                       top + 1, top + row_ - 1);
  }

  std::string Plot() const {
    std::string plot = fmt::format(
        "<svg class=\"plot\" width=\"100%\" height=\"{:.5g}\" role=\"img\" aria-label=\"{}\">\n"
        "<defs><pattern id=\"stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect class=\"stripe\" width=\"2\" height=\"6\"/></pattern></defs>\n"
        "<rect class=\"track\" width=\"100%\" height=\"100%\"/>\n",
        height_, Escaped(Alternative()));
    for (const double tick : RoundTicks(end_s_)) plot += Line("grid", tick);
    plot += '\n';
    for (std::size_t i = 0; i < buckets_.size(); ++i) plot += Row(i);
    return plot + Line("last-gradient", last_ready_s_) + "</svg>\n";
  }

  std::string Alternative() const {
    double exposed_s = 0;
    double last_end_s = 0;
    for (const BucketInfo& bucket : buckets_) {
      exposed_s = std::max(exposed_s, bucket.exposed_s);
      last_end_s = std::max(last_end_s, bucket.end_s);
    }
    return fmt::format(
        "{} of {}: the last gradient is ready {} after the step began, the last bucket arrives after {}; one "
        "bucket is exposed for up to {}",
        Counted(static_cast<std::int64_t>(buckets_.size()), "bucket"), timeline_.rung,
        FormatSeconds(last_ready_s_), FormatSeconds(last_end_s), FormatSeconds(exposed_s));
  }

  Timeline timeline_;
  const std::vector<BucketInfo>& buckets_;
  double end_s_ = 0;
  double last_ready_s_ = 0;
  double row_ = 0;
  double height_ = 0;
};

std::string Numbers(const std::vector<BucketInfo>& buckets) {
  std::string rows =
      "<thead><tr><th scope=\"col\">bucket</th><th scope=\"col\">size</th><th scope=\"col\">ready "
      "after</th><th scope=\"col\">begins after</th><th scope=\"col\">ends after</th><th "
      "scope=\"col\">exposed</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const BucketInfo& bucket = buckets[i];
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", i + 1,
        FormatBytes(static_cast<double>(bucket.bytes)), FormatSeconds(bucket.ready_s),
        FormatSeconds(bucket.begin_s), FormatSeconds(bucket.end_s), FormatSeconds(bucket.exposed_s));
  }
  return "<details><summary>The numbers of every bucket</summary>" +
         ScrollingTable("Gradient buckets", rows + "</tbody>") + "</details>\n";
}

}  // namespace

std::string BucketsSection(const Profile& profile) {
  const Timeline timeline = TimelineOf(profile);
  if (timeline.condition == nullptr) return "";
  return fmt::format(
             "<p class=\"lead\">Gradients travel in buckets of {} while the backward pass still computes. "
             "What "
             "arrives after the last gradient was computed is exposed: the step waits for it. Means of "
             "<b>{}</b>, in time since the step began; the axis ends with the step.</p>\n",
             Escaped(profile.workload.bucket), timeline.rung) +
         "<figure>" + Picture(timeline).Html() +
         "<ul class=\"legend\"><li><span class=\"key-ready\" aria-hidden=\"true\"></span><span><b>ready</b> "
         "<span class=\"soft\">its last gradient was computed</span></span></li><li>" +
         Swatch("hidden") +
         "<span><b>hidden</b> <span class=\"soft\">travels behind the backward pass</span></span></li><li>" +
         "<svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"fill-exposed\" "
         "width=\"14\" height=\"14\"/><rect class=\"hatch\" width=\"14\" height=\"14\"/></svg>"
         "<span><b>exposed</b> <span class=\"soft\">the step waits</span></span></li><li><span "
         "class=\"key-last\" aria-hidden=\"true\"></span><span><b>last gradient</b> <span "
         "class=\"soft\">nothing hides behind it</span></span></li></ul></figure>\n" +
         Numbers(timeline.condition->buckets);
}

}  // namespace stallscope
