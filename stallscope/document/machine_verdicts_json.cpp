#include "stallscope/document/machine_verdicts_json.h"

#include "stallscope/document/put_optional.h"

namespace stallscope {

Json WatchToJson(const WatchResult& watch) {
  Json json = {{"duration_s", watch.duration_s}, {"drifts", Json::array()}, {"outliers", Json::array()}};
  for (const Drift& drift : watch.drifts) {
    json["drifts"].push_back({{"quantity", drift.quantity}, {"change", ToJson(drift.change)}});
  }
  for (const Outlier& outlier : watch.outliers) {
    json["outliers"].push_back({{"quantity", outlier.quantity},
                                {"at_s", outlier.at_s},
                                {"value", outlier.value},
                                {"median", outlier.median}});
  }
  return json;
}

WatchResult WatchFromJson(const JsonFields& fields) {
  WatchResult watch{.duration_s = fields.Number("duration_s")};
  for (const JsonFields& drift : fields.Objects("drifts")) {
    watch.drifts.push_back({.quantity = drift.Text("quantity"), .change = drift.Interval("change")});
  }
  for (const JsonFields& outlier : fields.Objects("outliers")) {
    watch.outliers.push_back({.quantity = outlier.Text("quantity"),
                              .at_s = outlier.Number("at_s"),
                              .value = outlier.Number("value"),
                              .median = outlier.Number("median")});
  }
  return watch;
}

Json ExpectationToJson(const Expectation& expectation) {
  Json json = {{"of", expectation.of}, {"fail_below", expectation.fail_below}, {"lines", Json::array()}};
  for (const ExpectedLine& line : expectation.lines) {
    Json entry = {{"quantity", line.quantity},
                  {"unit", line.unit},
                  {"higher_is_better", line.higher_is_better},
                  {"expected", ToJson(line.expected)},
                  {"basis", line.basis},
                  {"source", line.source}};
    Put(entry, "found", line.found);
    Put(entry, "share", line.share);
    entry["verdict"] = line.verdict;
    json["lines"].push_back(entry);
  }
  return json;
}

Expectation ExpectationFromJson(const JsonFields& fields) {
  Expectation expectation{.of = fields.Text("of"), .fail_below = fields.Number("fail_below")};
  for (const JsonFields& line : fields.Objects("lines")) {
    expectation.lines.push_back({.quantity = line.Text("quantity"),
                                 .unit = line.Text("unit"),
                                 .higher_is_better = line.Truth("higher_is_better"),
                                 .expected = line.Interval("expected"),
                                 .basis = line.Text("basis"),
                                 .source = line.Text("source"),
                                 .found = line.OptionalInterval("found"),
                                 .share = line.OptionalNumber("share"),
                                 .verdict = line.Text("verdict")});
  }
  return expectation;
}

}  // namespace stallscope
