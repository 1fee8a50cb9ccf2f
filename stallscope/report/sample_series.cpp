#include "stallscope/report/sample_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "stallscope/report/binned_course.h"
#include "stallscope/report/csv_rows.h"

namespace stallscope {
namespace {

struct Quantity {
  const char* column;
  const char* name;
  const char* unit;
  bool counter;
};
constexpr std::array kQuantities = {Quantity{"cpu_busy_s", "CPU busy", "cores", true},
                                    Quantity{"disk_read_bytes", "disk read", "B/s", true},
                                    Quantity{"disk_written_bytes", "disk written", "B/s", true},
                                    Quantity{"network_received_bytes", "network received", "B/s", true},
                                    Quantity{"network_sent_bytes", "network sent", "B/s", true},
                                    Quantity{"memory_used_bytes", "memory used", "B", false},
                                    Quantity{"page_cache_bytes", "page cache", "B", false},
                                    Quantity{"gpu_busy_share", "GPU busy", "share", false},
                                    Quantity{"gpu_memory_bytes", "GPU memory", "B", false}};
constexpr std::size_t kFirst = 5;  ///< columns before the quantities

/// Time is gathered in thousandths of a second: no samples are nearer.
constexpr double kTick_s = 1e-3;
constexpr std::size_t kBinsOfAll = 1600;

struct Sample {
  std::string block;
  double time_s = 0;
  std::array<std::optional<double>, kQuantities.size()> values;
};

}  // namespace

void ForEachSample(const std::filesystem::path& folder,
                   const std::function<void(const SampledValue&)>& take) {
  if (!std::filesystem::exists(folder / "samples.csv")) return;
  std::vector<std::string> columns = {"round", "condition", "block", "node", "time_s"};
  for (const Quantity& quantity : kQuantities) columns.emplace_back(quantity.column);
  CsvRows rows(folder / "samples.csv", columns);
  std::map<int, Sample> last;
  while (rows.Next()) {
    Sample now{.block = fmt::format("{},{},{}", rows.Text(0), rows.Text(1), rows.Text(2)),
               .time_s = rows.Number(4)};
    const int node = rows.Integer(3);
    const auto before = last.find(node);
    for (std::size_t i = 0; i < kQuantities.size(); ++i) {
      const Quantity& quantity = kQuantities[i];
      now.values[i] = rows.OptionalNumber(kFirst + i);
      if (!now.values[i]) continue;
      SampledValue value{node, now.time_s, quantity.name, quantity.unit, *now.values[i]};
      if (quantity.counter) {
        if (before == last.end() || before->second.block != now.block || !before->second.values[i]) continue;
        const double elapsed = now.time_s - before->second.time_s;
        if (elapsed <= 0) continue;
        value.value = (value.value - *before->second.values[i]) / elapsed;
      }
      take(value);
    }
    last[node] = std::move(now);
  }
}

Json SeriesOfSamples(const std::filesystem::path& folder) {
  std::map<int, double> begins;
  std::set<std::pair<std::string, std::string>> quantities;
  ForEachSample(folder, [&](const SampledValue& sample) {
    begins.try_emplace(sample.node, sample.time_s);
    quantities.emplace(sample.quantity, sample.unit);
  });
  Json series = Json::array();
  if (begins.empty()) return series;
  // With many machines each has fewer bins, so that the page stays small.
  const std::size_t bins = std::clamp<std::size_t>(kBinsOfAll / begins.size(), 16, 200);
  std::map<std::tuple<std::string, int>, BinnedCourse> courses;
  ForEachSample(folder, [&](const SampledValue& sample) {
    const double since = std::max(sample.time_s - begins.at(sample.node), 0.0);
    courses.try_emplace({sample.quantity, sample.node}, bins)
        .first->second.Add(static_cast<std::int64_t>(since / kTick_s), sample.value);
  });
  for (const Quantity& quantity : kQuantities) {
    if (!quantities.contains({quantity.name, quantity.unit})) continue;
    Json nodes = Json::array();
    for (const auto& [node, begin] : begins) {
      const auto found = courses.find({quantity.name, node});
      if (found == courses.end()) continue;
      Json points = Json::array();
      const BinnedCourse& course = found->second;
      const double width_s = static_cast<double>(course.width()) * kTick_s;
      for (std::size_t i = 0; i < course.bins().size(); ++i) {
        const auto& bin = course.bins()[i];
        if (bin.count == 0) continue;
        const auto digits = [](double value) { return std::stod(fmt::format("{:.5g}", value)); };
        points.push_back({digits((static_cast<double>(i) + 0.5) * width_s), digits(bin.least),
                          digits(bin.Mean()), digits(bin.largest)});
      }
      nodes.push_back({{"node", node}, {"points", std::move(points)}});
    }
    series.push_back({{"quantity", quantity.name}, {"unit", quantity.unit}, {"nodes", std::move(nodes)}});
  }
  return series;
}

}  // namespace stallscope
