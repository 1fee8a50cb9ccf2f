#include "stallscope/report/run_series.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "stallscope/report/binned_course.h"
#include "stallscope/report/run_blocks.h"
#include "stallscope/report/sample_series.h"

namespace stallscope {
namespace {

constexpr std::size_t kCourseBins = 240;
constexpr std::size_t kMapBins = 60;
constexpr int kHistogramBins = 40;

/// Six digits: a picture shows no more, and the page stays small.
Json Rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

struct Part {
  const char* name;
  double StepRecord::*seconds;
};
constexpr std::array kParts = {Part{"data_wait_s", &StepRecord::data_wait_s},
                               Part{"copy_s", &StepRecord::copy_s},
                               Part{"forward_s", &StepRecord::forward_s},
                               Part{"backward_s", &StepRecord::backward_s},
                               Part{"exposed_communication_s", &StepRecord::exposed_communication_s},
                               Part{"optimizer_s", &StepRecord::optimizer_s},
                               Part{"total_s", &StepRecord::total_s}};

class RankSeries {
 public:
  void Add(std::int64_t place, const StepRecord& step) {
    ++steps_;
    for (std::size_t i = 0; i < kParts.size(); ++i) sums_[i] += step.*kParts[i].seconds;
    // What the rank itself did, without waiting for others: a slow rank shows here.
    own_.Add(place, step.total_s - step.exposed_communication_s);
  }

  Json Row(int rank, int node) const {
    Json row = {{"rank", rank}, {"node", node}, {"steps", steps_}};
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      row[kParts[i].name] = Rounded(sums_[i] / static_cast<double>(steps_));
    }
    Json own = Json::array();
    for (const auto& bin : own_.bins()) own.push_back(bin.count > 0 ? Rounded(bin.Mean()) : Json());
    row["own_s"] = std::move(own);
    return row;
  }

  std::int64_t own_width() const { return own_.width(); }

 private:
  std::int64_t steps_ = 0;
  std::array<double, kParts.size()> sums_ = {};
  BinnedCourse own_{kMapBins};
};

/// One rung's steps, of all ranks and all rounds that count.
class RungSeries {
 public:
  void Add(const RunBlock& block) {
    std::int64_t longest = 0;
    for (const RunRank& rank : block.ranks) {
      std::int64_t place = 0;
      for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        if (!rank.counted[i]) continue;
        const StepRecord& step = rank.steps[i];
        totals_.push_back(static_cast<float>(step.total_s));
        course_.Add(steps_ + place, step.total_s);
        ranks_[{rank.rank, rank.node}].Add(steps_ + place, step);
        ++place;
      }
      longest = std::max(longest, place);
    }
    steps_ += longest;
  }

  Json Distribution() {
    if (totals_.empty()) return nullptr;
    std::sort(totals_.begin(), totals_.end());
    const auto quantile = [&](double share) {
      return Rounded(totals_[static_cast<std::size_t>(share * static_cast<double>(totals_.size() - 1))]);
    };
    Json json = {{"count", totals_.size()},        {"steps", steps_},
                 {"least", quantile(0)},           {"q05", quantile(0.05)},
                 {"q25", quantile(0.25)},          {"q50", quantile(0.5)},
                 {"q75", quantile(0.75)},          {"q95", quantile(0.95)},
                 {"largest", quantile(1)},         {"histogram", Histogram()},
                 {"course_width", course_.width()}};
    Json& course = json["course"] = Json::array();
    for (const auto& bin : course_.bins()) {
      course.push_back(bin.count > 0 ? Json{Rounded(bin.least), Rounded(bin.Mean()), Rounded(bin.largest)}
                                     : Json());
    }
    return json;
  }

  Json Ranks() const {
    Json rows = Json::array();
    for (const auto& [who, series] : ranks_) rows.push_back(series.Row(who.first, who.second));
    return {{"width", ranks_.begin()->second.own_width()}, {"rows", std::move(rows)}};
  }
  std::size_t rank_count() const { return ranks_.size(); }

 private:
  /// From the least to the 99th percentile; what lies above is in the last bin, and is said to be.
  Json Histogram() const {
    const double from = totals_.front();
    const double to = totals_[static_cast<std::size_t>(0.99 * static_cast<double>(totals_.size() - 1))];
    std::vector<std::int64_t> counts(kHistogramBins);
    const double width = (to - from) / kHistogramBins;
    for (const float total : totals_) {
      const double place = width > 0 ? (total - from) / width : 0;
      ++counts[static_cast<std::size_t>(std::min<double>(place, kHistogramBins - 1))];
    }
    return {{"from", Rounded(from)}, {"to", Rounded(to)}, {"counts", counts}};
  }

  std::vector<float> totals_;
  std::int64_t steps_ = 0;
  BinnedCourse course_{kCourseBins};
  std::map<std::pair<int, int>, RankSeries> ranks_;
};

}  // namespace

Json SeriesOfRun(const std::filesystem::path& folder, const std::vector<std::string>& conditions) {
  Json series = Json::object();
  if (!std::filesystem::exists(folder / "steps.csv")) return series;
  RunBlocks blocks(folder, conditions, false);
  std::map<std::string, RungSeries> rungs;
  RunBlock block;
  std::int64_t rows = 0;
  while (blocks.Next(block)) {
    for (const RunRank& rank : block.ranks) rows += static_cast<std::int64_t>(rank.steps.size());
    if (block.counts) rungs[block.condition].Add(block);
  }
  series["rows"] = rows;
  for (auto& [name, rung] : rungs) series["steps"][name] = rung.Distribution();
  // Where ranks wait for each other; the rung without data shows it best.
  for (const char* name : {"cluster", "node", "warm", "cold", "crowd"}) {
    const auto found = rungs.find(name);
    if (found == rungs.end() || found->second.rank_count() < 2) continue;
    series["ranks"] = found->second.Ranks();
    series["ranks"]["rung"] = name;
    break;
  }
  Json samples = SeriesOfSamples(folder);
  if (!samples.empty()) series["samples"] = std::move(samples);
  return series;
}

}  // namespace stallscope
