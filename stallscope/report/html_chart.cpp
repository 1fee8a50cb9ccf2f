#include "stallscope/report/html_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

constexpr int kBarHeight = 34;
/// How wide a bar is at least, in pixels, on the three widths of screens that html_style.cpp tells apart.
constexpr double kNarrowBar = 250;
constexpr double kWideBar = 600;
constexpr double kWidestBar = 870;
/// Of a letter, in the widest of the usual fonts.
constexpr double kLetter = 8;

/// The first label that fits: a cut-off one would be worse than none, and the list beside the picture has
/// all of them.
std::string FirstThatFits(const char* screen, const std::vector<std::string>& labels, double pixels) {
  for (const std::string& label : labels) {
    if (static_cast<double>(label.size()) * kLetter > pixels) continue;
    return fmt::format("<text class=\"{}\" x=\"50%\" y=\"50%\">{}</text>", screen, Escaped(label));
  }
  return "";
}

std::string SegmentLabel(const Segment& segment, double width) {
  const std::string share = fmt::format("{:.0f} %", 100 * segment.share);
  const std::vector<std::string> labels = {segment.name + " " + share, segment.name, share};
  return FirstThatFits("narrow", {share}, width * kNarrowBar) +
         FirstThatFits("wide", labels, width * kWideBar) +
         FirstThatFits("widest", labels, width * kWidestBar);
}

}  // namespace

std::string Position(double value, double axis_end) {
  const double share = axis_end > 0 ? std::clamp(value / axis_end, 0.0, 1.0) : 0;
  return fmt::format("{:.6g}%", std::round(share * 1e6) / 1e4);
}

std::string StackedBar(const std::vector<Segment>& segments, double axis_end,
                       const std::string& alternative) {
  double drawn = 0;
  for (const Segment& segment : segments) drawn += std::max(segment.value, 0.0);
  // Where one difference is negative, the others add up to more than the step.
  const double end = std::max(axis_end, drawn);
  std::string bar = fmt::format(
      "<svg class=\"bar\" width=\"100%\" height=\"{0}\" role=\"img\" aria-label=\"{1}\">\n"
      "<rect class=\"track\" width=\"100%\" height=\"{0}\"/>\n",
      kBarHeight, Escaped(alternative));
  double begin = 0;
  for (const Segment& segment : segments) {
    if (segment.value <= 0 || end <= 0) continue;
    bar += fmt::format(
        "<svg class=\"on-{0}\" x=\"{1}\" width=\"{2}\" height=\"{3}\"><rect class=\"fill-{0}\" "
        "width=\"100%\" "
        "height=\"{3}\"/>{4}</svg>\n",
        segment.color, Position(begin, end), Position(segment.value, end), kBarHeight,
        SegmentLabel(segment, segment.value / end));
    begin += segment.value;
  }
  return bar + "</svg>\n";
}

std::string IntervalBar(const Estimate& estimate, double axis_end) {
  const std::string low = Position(estimate.low, axis_end);
  const std::string high = Position(estimate.high, axis_end);
  return fmt::format(
      "<svg class=\"interval\" width=\"100%\" height=\"16\" aria-hidden=\"true\">"
      "<rect class=\"mean\" y=\"5\" width=\"{}\" height=\"6\"/>"
      "<line x1=\"{}\" x2=\"{}\" y1=\"8\" y2=\"8\"/>"
      "<line x1=\"{}\" x2=\"{}\" y1=\"2\" y2=\"14\"/>"
      "<line x1=\"{}\" x2=\"{}\" y1=\"2\" y2=\"14\"/></svg>",
      Position(estimate.mean, axis_end), low, high, low, low, high, high);
}

std::string Swatch(const std::string& color) {
  return fmt::format(
      "<svg class=\"swatch\" width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"fill-{}\" "
      "width=\"14\" height=\"14\"/></svg>",
      color);
}

std::vector<double> RoundTicks(double axis_end) {
  if (!(axis_end > 0) || !std::isfinite(axis_end)) return {};
  const double rough = axis_end / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.5, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> ticks;
  for (int i = 0; i * step <= axis_end * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

std::string TickText(double seconds, double axis_end) {
  if (seconds == 0) return "0";
  if (axis_end >= 1) return fmt::format("{:.4g} s", seconds);
  if (axis_end >= 1e-3) return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} us", seconds * 1e6);
}

std::string TimeAxis(double axis_end) {
  std::string axis =
      "<svg class=\"axis\" width=\"100%\" height=\"22\" aria-hidden=\"true\"><line x1=\"0\" x2=\"100%\" "
      "y1=\"1\" y2=\"1\"/>";
  const std::vector<double> ticks = RoundTicks(axis_end);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    // Centred text would be cut off at the ends of the axis.
    const char* anchor = i == 0 ? "start" : ticks[i] > 0.93 * axis_end ? "end" : "middle";
    // A telephone has room for every other one.
    const char* screen = i % 2 == 0 ? "" : " class=\"roomy\"";
    axis += fmt::format(
        "<line x1=\"{0}\" x2=\"{0}\" y1=\"1\" y2=\"6\"/><text{1} x=\"{0}\" y=\"18\" "
        "text-anchor=\"{2}\">{3}</text>",
        Position(ticks[i], axis_end), screen, anchor, TickText(ticks[i], axis_end));
  }
  return axis + "</svg>\n";
}

}  // namespace stallscope
