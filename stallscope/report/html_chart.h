#pragma once

#include <string>
#include <vector>

#include "stallscope/document/estimate.h"

namespace stallscope {

/// Where a value stands on an axis from 0 to `axis_end`: "31.25%". Charts are drawn in percents, so that
/// they fit a telephone and a wide screen without stretching their text.
std::string Position(double value, double axis_end);

/// One coloured stretch of a bar. Its color is the name of a style "fill-…"; its name says the same in words.
struct Segment {
  std::string color;
  std::string name;
  double value = 0;  ///< on the axis
  double share = 0;  ///< what its label says
};

/// A horizontal bar of segments, one behind the other. Those of zero or less have no area.
/// `alternative` is what the picture says, for those who do not see it.
std::string StackedBar(const std::vector<Segment>& segments, double axis_end, const std::string& alternative);

/// The mean as a thin bar from zero, its 95 % interval as a bracket around the end.
std::string IntervalBar(const Estimate& estimate, double axis_end);

/// A small square of a segment's colour.
std::string Swatch(const std::string& color);

/// Round numbers from zero to at most `axis_end`, five or so; empty where it is not above zero.
std::vector<double> RoundTicks(double axis_end);
/// "0", "250 ms", "1.5 s": ticks of one axis in one unit.
std::string TickText(double seconds, double axis_end);

/// The axis below bars: a line with ticks and times.
std::string TimeAxis(double axis_end);

}  // namespace stallscope
