#include "stallscope/stats/link_fit.h"

#include <algorithm>
#include <cmath>

#include "stallscope/stats/line_fit.h"
#include "stallscope/stats/mean.h"

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

  void Add(double intercept, double slope) {
    intercepts.push_back(intercept);
    slopes.push_back(slope);
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
  std::vector<double> sent;
  std::vector<double> typical;
  for (std::size_t i = 0; i < ring.bytes.size(); ++i) {
    sent.push_back(shape.bytes_per_byte * static_cast<double>(ring.bytes[i]));
    typical.push_back(MedianOf(ring.times_s[i]));
  }
  const std::vector<LinePiece> pieces = FitPieces(sent, typical);

  std::vector<ResampledLines> of_pieces(pieces.size());
  ResampledLines of_link;
  std::vector<double> resampled(typical.size());
  for (std::size_t resample = 0; resample < bootstrap.resamples(); ++resample) {
    for (std::size_t i = 0; i < typical.size(); ++i)
      resampled[i] = bootstrap.ResampledMedian(resample, ring.times_s[i]);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::size_t count = pieces[i].end - pieces[i].begin;
      const Line line = FitLine(std::span(sent).subspan(pieces[i].begin, count),
                                std::span(resampled).subspan(pieces[i].begin, count));
      of_pieces[i].Add(line.intercept, line.slope);
    }
    const std::vector<LinePiece> own = FitPieces(sent, resampled);
    of_link.Add(own.front().line.intercept, own.back().line.slope);
  }

  const auto latency = [&](const Line& line, std::vector<double> intercepts) {
    for (double& intercept : intercepts) intercept /= shape.trips;
    return bootstrap.Of(line.intercept / shape.trips, std::move(intercepts));
  };
  LinkFit fit{.latency_s = latency(pieces.front().line, std::move(of_link.intercepts)),
              .trips_per_step = ring.trips_per_step};
  // A largest message that still is mostly latency has not seen the link's rate.
  const Line& last = pieces.back().line;
  if (last.slope * sent.back() >= last.intercept)
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
  for (std::size_t i = 0; i < typical.size(); ++i) {
    const double fitted = FittedTime(fit, ring.ranks, static_cast<double>(ring.bytes[i])).value();
    errors.push_back(std::abs(fitted / typical[i] - 1));
  }
  fit.worst_error = *std::max_element(errors.begin(), errors.end());
  fit.median_error = MedianOf(std::move(errors));
  return fit;
}

}  // namespace stallscope
