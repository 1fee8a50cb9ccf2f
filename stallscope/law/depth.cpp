#include "stallscope/law/depth.h"

#include <algorithm>
#include <cmath>

#include "stallscope/stats/mean.h"
#include "stallscope/stats/quantiles.h"

namespace stallscope {
namespace {

constexpr std::size_t kFewestRows = 3;

/// Least squares over layers; see DepthAt for the interval.
Estimate SlopeOf(const std::vector<LawDepthRow>& rows) {
  std::vector<double> layers;
  std::vector<double> stalls;
  for (const LawDepthRow& row : rows) {
    layers.push_back(static_cast<double>(row.layers));
    stalls.push_back(row.stall_s.mean);
  }
  const double middle = MeanOf(layers);
  const double mean = MeanOf(stalls);
  double spread = 0;
  double product = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    spread += (layers[i] - middle) * (layers[i] - middle);
    product += (layers[i] - middle) * (stalls[i] - mean);
  }
  const double slope = product / spread;
  double measured = 0;
  double scatter = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double deviation = rows[i].stall_s.HalfWidth() / kNormal95;
    measured += std::pow((layers[i] - middle) / spread * deviation, 2);
    scatter += std::pow(stalls[i] - mean - slope * (layers[i] - middle), 2);
  }
  const std::size_t freedom = rows.size() - 2;
  const double half =
      std::max(kNormal95 * std::sqrt(measured),
               StudentT975(freedom) * std::sqrt(scatter / static_cast<double>(freedom) / spread));
  return {slope, slope - half, slope + half};
}

}  // namespace

std::optional<LawDepth> DepthAt(const FitData& data, std::span<const FitPoint* const> points,
                                const ExchangeLaw& law) {
  LawDepth depth;
  std::vector<double> steps;
  std::vector<double> bytes;
  for (const FitPoint* point : points) {
    const LawNetwork& network = data.networks[point->network];
    if (network.family != "layers") continue;
    depth.place = point->place;
    steps.push_back(point->measured.step_s.mean);
    bytes.push_back(static_cast<double>(network.gradient_bytes));
    depth.rows.push_back({.network = network.name,
                          .layers = network.layers,
                          .gradient_tensors = network.gradient_tensors,
                          .gradient_bytes = network.gradient_bytes,
                          .all_reduces = static_cast<int>(point->step.buckets.size()),
                          .stall_s = point->measured.stall_s,
                          .law_s = StallUnder(law, point->step).count()});
  }
  if (depth.rows.size() < kFewestRows) return std::nullopt;
  std::sort(depth.rows.begin(), depth.rows.end(),
            [](const LawDepthRow& a, const LawDepthRow& b) { return a.layers < b.layers; });
  if (depth.rows.front().layers == depth.rows.back().layers) return std::nullopt;
  depth.gradient_bytes = MeanOf(bytes);
  depth.per_layer_s = SlopeOf(depth.rows);
  depth.distinguishable = !depth.per_layer_s.HoldsZero();
  const double scale =
      static_cast<double>(depth.rows.back().layers - depth.rows.front().layers) / MeanOf(steps);
  depth.growth =
      Estimate{depth.per_layer_s.mean * scale, depth.per_layer_s.low * scale, depth.per_layer_s.high * scale};
  return depth;
}

}  // namespace stallscope
