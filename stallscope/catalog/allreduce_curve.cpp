#include "stallscope/catalog/allreduce_curve.h"

namespace stallscope {
namespace {

const CurveSegment& SegmentFor(const AllReduceCurve& curve, Bytes bytes) {
  for (const CurveSegment& segment : curve.segments) {
    if (bytes.value <= segment.to.value) return segment;
  }
  return curve.segments.back();
}

}  // namespace

double BusFactor(const AllReduceCurve& curve) {
  const double share = (curve.gpus - 1.0) / curve.gpus;
  return curve.collective == "all_reduce" ? 2 * share : share;
}

std::optional<Seconds> TimeOf(const AllReduceCurve& curve, Bytes bytes) {
  const CurveSegment& segment = SegmentFor(curve, bytes);
  const double factor = BusFactor(curve);
  if (!segment.intercept) {
    if (bytes.value != segment.to.value || !segment.bus_bandwidth) return std::nullopt;
    return Seconds(bytes.value * factor / segment.bus_bandwidth->value);
  }
  if (!segment.bus_bandwidth) return *segment.intercept;
  return *segment.intercept + Seconds(bytes.value * factor / segment.bus_bandwidth->value);
}

Estimate LargestMessageBandwidth(const AllReduceCurve& curve) {
  const CurveSegment& last = curve.segments.back();
  const double seconds = TimeOf(curve, last.to)->count();
  const double reached = last.to.value * BusFactor(curve) / seconds;
  Estimate estimate{reached, reached, reached};
  // The share of the time that is not transfer is the same for the ends of the interval.
  if (last.bus_bandwidth && last.low) estimate.low = reached * last.low->value / last.bus_bandwidth->value;
  if (last.bus_bandwidth && last.high) estimate.high = reached * last.high->value / last.bus_bandwidth->value;
  return estimate;
}

}  // namespace stallscope
