#include "stallscope/stats/link_fit.h"

#include <algorithm>
#include <cmath>

#include "stallscope/stats/line_fit.h"
#include "stallscope/stats/mean.h"
#include "stallscope/stats/series.h"

namespace stallscope {
namespace {

/// What a byte of the message and a step of the ring cost on the wire.
struct RingShape {
  double trips = 0;           ///< messages one after another
  double bytes_per_byte = 0;  ///< sent over each link for every byte of the message

  explicit RingShape(const RingTimes& ring)
      : trips(2.0 * (ring.ranks - 1) * ring.trips_per_step),
        bytes_per_byte(2.0 * (ring.ranks - 1) / ring.ranks) {}
};

/// A rate from the seconds that a byte takes. Nothing where the interval of these reaches 0: such a link
/// could be of any speed.
std::optional<Estimate> RateOf(const Estimate& seconds_per_byte) {
  if (seconds_per_byte.low <= 0) return std::nullopt;
  return Estimate{
      .mean = 1 / seconds_per_byte.mean, .low = 1 / seconds_per_byte.high, .high = 1 / seconds_per_byte.low};
}

/// The lines of the resamples for a stretch of sizes, as two lists.
struct ResampledLines {
  std::vector<double> intercepts;
  std::vector<double> slopes;

  void Add(const Line& line) {
    intercepts.push_back(line.intercept);
    slopes.push_back(line.slope);
  }
};

}  // namespace

double AlgorithmBandwidth(double bytes, double time_s) {
  return bytes / time_s;
}

double AllReduceBusBandwidth(double bytes, double time_s, int ranks) {
  return AlgorithmBandwidth(bytes, time_s) * 2 * (ranks - 1) / ranks;
}

std::optional<LinkFit> FitLink(const RingTimes& ring, const Bootstrap& bootstrap) {
  if (ring.bytes.size() < kLeastSizesToFit) return std::nullopt;
  const RingShape shape(ring);
  // For each size its median in every resample, and from their spread how well it is known.
  std::vector<std::vector<double>> medians;
  LinePoints points;
  for (std::size_t i = 0; i < ring.bytes.size(); ++i) {
    medians.emplace_back();
    for (std::size_t resample = 0; resample < bootstrap.resamples(); ++resample)
      medians.back().push_back(bootstrap.ResampledMedian(resample, ring.times_s[i]));
    points.x.push_back(shape.bytes_per_byte * static_cast<double>(ring.bytes[i]));
    points.y.push_back(MedianOf(ring.times_s[i]));
    points.scatter.push_back(StandardDeviationOf(medians.back()) / points.y.back());
  }
  const std::vector<LinePiece> pieces = FitPieces(points);

  std::vector<ResampledLines> of_pieces(pieces.size());
  ResampledLines of_link;
  LinePoints resampled = points;
  for (std::size_t resample = 0; resample < bootstrap.resamples(); ++resample) {
    for (std::size_t i = 0; i < points.size(); ++i) resampled.y[i] = medians[i][resample];
    for (std::size_t i = 0; i < pieces.size(); ++i)
      of_pieces[i].Add(FitLine(resampled, pieces[i].begin, pieces[i].end));
    const std::vector<LinePiece> own = FitPieces(resampled);
    of_link.Add({.intercept = own.front().line.intercept, .slope = own.back().line.slope});
  }

  const auto latency = [&](const Line& line, std::vector<double> intercepts) {
    for (double& intercept : intercepts) intercept /= shape.trips;
    Estimate estimate = bootstrap.Of(line.intercept / shape.trips, std::move(intercepts));
    estimate.low = std::max(estimate.low, 0.0);  // few rounds have wide intervals
    return estimate;
  };
  LinkFit fit{.latency_s = latency(pieces.front().line, std::move(of_link.intercepts)),
              .trips_per_step = ring.trips_per_step};
  // A largest message that still is mostly latency has not seen the link's rate.
  const Line& last = pieces.back().line;
  if (last.slope * points.x.back() >= last.intercept)
    fit.bytes_per_s = RateOf(bootstrap.Of(last.slope, std::move(of_link.slopes)));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const LinePiece& piece = pieces[i];
    LinkSegment segment{.from_bytes = ring.bytes[piece.begin]};
    if (piece.end < ring.bytes.size()) segment.to_bytes = ring.bytes[piece.end];
    segment.latency_s = latency(piece.line, std::move(of_pieces[i].intercepts));
    segment.bytes_per_s = RateOf(bootstrap.Of(piece.line.slope, std::move(of_pieces[i].slopes)));
    fit.segments.push_back(segment);
  }
  // By what the document will say, not by what was known here.
  std::vector<double> errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double fitted = FittedTime(fit, ring.ranks, static_cast<double>(ring.bytes[i])).value();
    errors.push_back(std::abs(fitted / points.y[i] - 1));
  }
  fit.worst_error = *std::max_element(errors.begin(), errors.end());
  fit.median_error = MedianOf(std::move(errors));
  return fit;
}

std::optional<LinkFit> FitLink(const RingTimes& ring, const std::vector<Bootstrap>& bootstraps) {
  std::optional<LinkFit> fit = FitLink(ring, bootstraps.at(0));
  for (std::size_t i = 1; fit && i < bootstraps.size(); ++i) {
    const std::optional<LinkFit> other = FitLink(ring, bootstraps[i]);
    Widen(fit->latency_s, other->latency_s);
    fit->latency_s.low = std::max(fit->latency_s.low, 0.0);
    if (!fit->bytes_per_s || !other->bytes_per_s) continue;
    // Rates keep their sign: as ratios.
    const Estimate& rate = *other->bytes_per_s;
    fit->bytes_per_s->low = std::min(fit->bytes_per_s->low, fit->bytes_per_s->mean * rate.low / rate.mean);
    fit->bytes_per_s->high = std::max(fit->bytes_per_s->high, fit->bytes_per_s->mean * rate.high / rate.mean);
  }
  return fit;
}

}  // namespace stallscope
