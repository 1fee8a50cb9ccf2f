#include "stallscope/document/collective_curve.h"

#include "stallscope/document/put_optional.h"

namespace stallscope {
namespace {

Json FitToJson(const LinkFit& fit) {
  Json json = {{"latency_s", ToJson(fit.latency_s)}};
  Put(json, "bytes_per_s", fit.bytes_per_s);
  json["trips_per_step"] = fit.trips_per_step;
  json["median_error"] = fit.median_error;
  json["worst_error"] = fit.worst_error;
  json["segments"] = Json::array();
  for (const LinkSegment& segment : fit.segments) {
    Json line = {{"from_bytes", segment.from_bytes}};
    Put(line, "to_bytes", segment.to_bytes);
    line["latency_s"] = ToJson(segment.latency_s);
    Put(line, "bytes_per_s", segment.bytes_per_s);
    json["segments"].push_back(std::move(line));
  }
  return json;
}

LinkFit FitFromJson(const JsonFields& fields) {
  LinkFit fit{.latency_s = fields.Interval("latency_s"),
              .bytes_per_s = fields.OptionalInterval("bytes_per_s"),
              .trips_per_step = fields.SmallInteger("trips_per_step"),
              .segments = {},
              .median_error = fields.Number("median_error"),
              .worst_error = fields.Number("worst_error")};
  for (const JsonFields& segment : fields.Objects("segments")) {
    fit.segments.push_back({.from_bytes = segment.Integer("from_bytes"),
                            .to_bytes = segment.OptionalInteger("to_bytes"),
                            .latency_s = segment.Interval("latency_s"),
                            .bytes_per_s = segment.OptionalInterval("bytes_per_s")});
  }
  if (fit.segments.empty()) fields.Fail("segments", "is empty");
  return fit;
}

}  // namespace

Json ToJson(const CollectiveCurve& curve) {
  Json json = {{"where", curve.where},           {"ranks", curve.ranks},     {"nodes", curve.nodes},
               {"collective", curve.collective}, {"backend", curve.backend}, {"rounds", curve.rounds}};
  json["disturbed_blocks"] = curve.disturbed_blocks;
  if (curve.fit) json["fit"] = FitToJson(*curve.fit);
  Put(json, "no_fit", curve.no_fit);
  if (const auto& pair = curve.point_to_point) {
    json["point_to_point"] = {{"from_rank", pair->from_rank},
                              {"to_rank", pair->to_rank},
                              {"latency_s", ToJson(pair->latency_s)},
                              {"bytes_per_s", ToJson(pair->bytes_per_s)}};
  }
  json["points"] = Json::array();
  for (const CollectivePoint& point : curve.points) {
    json["points"].push_back({{"bytes", point.bytes},
                              {"time_s", ToJson(point.time_s)},
                              {"algorithm_bytes_per_s", point.algorithm_bytes_per_s},
                              {"bus_bytes_per_s", point.bus_bytes_per_s},
                              {"repeats", point.repeats}});
  }
  json["absent"] = Json::array();
  for (const AbsentSize& size : curve.absent)
    json["absent"].push_back({{"bytes", size.bytes}, {"reason", size.reason}});
  return json;
}

CollectiveCurve CollectiveCurveFromJson(const JsonFields& fields) {
  CollectiveCurve curve{.where = fields.Text("where"),
                        .ranks = fields.SmallInteger("ranks"),
                        .nodes = fields.SmallInteger("nodes"),
                        .collective = fields.Text("collective"),
                        .backend = fields.Text("backend"),
                        .rounds = fields.SmallInteger("rounds"),
                        .disturbed_blocks = fields.SmallInteger("disturbed_blocks"),
                        .points = {},
                        .absent = {},
                        .fit = std::nullopt,
                        .no_fit = fields.OptionalText("no_fit"),
                        .point_to_point = std::nullopt};
  if (curve.where != "machine" && curve.where != "cluster")
    fields.Fail("where", "is neither 'machine' nor 'cluster'");
  if (curve.ranks < 2) fields.Fail("ranks", "is below 2");
  for (const JsonFields& point : fields.Objects("points")) {
    curve.points.push_back({.bytes = point.Integer("bytes"),
                            .time_s = point.Interval("time_s"),
                            .algorithm_bytes_per_s = point.Number("algorithm_bytes_per_s"),
                            .bus_bytes_per_s = point.Number("bus_bytes_per_s"),
                            .repeats = point.SmallInteger("repeats")});
  }
  for (const JsonFields& size : fields.Objects("absent"))
    curve.absent.push_back({.bytes = size.Integer("bytes"), .reason = size.Text("reason")});
  if (const auto fit = fields.OptionalObject("fit")) curve.fit = FitFromJson(*fit);
  if (const auto pair = fields.OptionalObject("point_to_point")) {
    curve.point_to_point = PointToPoint{.from_rank = pair->SmallInteger("from_rank"),
                                        .to_rank = pair->SmallInteger("to_rank"),
                                        .latency_s = pair->Interval("latency_s"),
                                        .bytes_per_s = pair->Interval("bytes_per_s")};
  }
  return curve;
}

std::optional<double> FittedTime(const LinkFit& fit, int ranks, double bytes) {
  const double steps = 2.0 * (ranks - 1);
  const LinkSegment* found = nullptr;
  for (const LinkSegment& segment : fit.segments) {
    if (bytes >= static_cast<double>(segment.from_bytes)) found = &segment;
  }
  if (found == nullptr) return std::nullopt;
  const double transfer = found->bytes_per_s ? steps / ranks * bytes / found->bytes_per_s->mean : 0;
  return steps * fit.trips_per_step * found->latency_s.mean + transfer;
}

}  // namespace stallscope
