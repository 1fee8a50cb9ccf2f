#include "stallscope/cost/ring_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stallscope::cost {
namespace {

/// A few milliseconds. Trees and NVLink meshes of 16 GPUs need a few dozen tries.
constexpr int kMostTries = 8000;
constexpr std::size_t kMostSearchedStops = 17;

class Search {
 public:
  Search(const Stops& stops, const std::vector<double>& left, std::size_t longest_hop)
      : stops_(stops), left_(left), longest_hop_(longest_hop), load_(left.size(), 0) {
    const std::size_t count = stops.route.size();
    width_.assign(count, std::vector<double>(count, 0));
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) width_[i][j] = i == j ? 0 : Width(stops.route[i][j]);
    }
    most_ = WidestConnection();
    for (std::size_t i = 0; i < count; ++i) by_width_.push_back(SortedFrom(static_cast<int>(i)));
  }

  std::optional<FoundRing> Run() {
    const int count = static_cast<int>(width_.size());
    const int shares = count - 1;
    // The end of the ring is chosen first: found last, a narrow way back would spoil every try before it.
    for (int share = 0; const int end : EndsByWidth()) {
      ends_tries_ = kMostTries * ++share / shares;
      visited_.assign(count, false);
      visited_[0] = true;
      order_ = {0};
      end_ = end;
      const Route& back = stops_.route[end][0];
      Extend(Load(back, 1));
      Load(back, -1);
    }
    if (best_.order.empty()) return std::nullopt;
    return best_;
  }

 private:
  double Width(const Route& route) const {
    if (route.ways.size() > longest_hop_) return 0;
    double width = std::numeric_limits<double>::infinity();
    for (const Way way : route.ways) width = std::min(width, left_[way]);
    return width;
  }

  /// No ring is wider than the narrowest hop that any way of connecting all stops needs (Prim's tree).
  double WidestConnection() const {
    const std::size_t count = width_.size();
    std::vector<double> reach(count, 0);
    std::vector<bool> connected(count, false);
    double narrowest = std::numeric_limits<double>::infinity();
    std::size_t added = 0;
    for (std::size_t step = 1; step < count; ++step) {
      connected[added] = true;
      for (std::size_t i = 0; i < count; ++i) {
        reach[i] = std::max({reach[i], width_[added][i], width_[i][added]});
      }
      double widest = -1;
      for (std::size_t i = 0; i < count; ++i) {
        if (!connected[i] && reach[i] > widest) {
          widest = reach[i];
          added = i;
        }
      }
      narrowest = std::min(narrowest, widest);
    }
    return narrowest;
  }

  std::vector<int> SortedFrom(int from) const {
    std::vector<int> others(width_.size());
    std::iota(others.begin(), others.end(), 0);
    if (width_.size() > kMostSearchedStops) return others;
    std::stable_sort(others.begin(), others.end(), [this, from](int a, int b) {
      if (width_[from][a] != width_[from][b]) return width_[from][a] > width_[from][b];
      return stops_.route[from][a].ways.size() < stops_.route[from][b].ways.size();
    });
    return others;
  }

  std::vector<int> EndsByWidth() const {
    std::vector<int> ends;
    for (int i = static_cast<int>(width_.size()) - 1; i > 0; --i) {
      if (width_[i][0] > 0) ends.push_back(i);
    }
    if (width_.size() > kMostSearchedStops) return ends;
    std::stable_sort(ends.begin(), ends.end(), [this](int a, int b) {
      if (width_[a][0] != width_[b][0]) return width_[a][0] > width_[b][0];
      return stops_.route[a][0].ways.size() < stops_.route[b][0].ways.size();
    });
    return ends;
  }

  /// Adds one hop's load (or takes it away) and returns the slowest share on its ways.
  double Load(const Route& route, int change) {
    double slowest = std::numeric_limits<double>::infinity();
    for (const Way way : route.ways) {
      load_[way] += change;
      if (load_[way] > 0) slowest = std::min(slowest, left_[way] / load_[way]);
    }
    return slowest;
  }

  bool Done() const {
    const bool in_order = width_.size() > kMostSearchedStops && !best_.order.empty();
    return tries_ >= ends_tries_ || best_.bandwidth >= most_ || in_order;
  }

  /// `bandwidth` is that of the ring so far, with its last hop from end_ to stop 0.
  void Extend(double bandwidth) {
    if (order_.size() == width_.size()) {
      if (bandwidth > best_.bandwidth) best_ = {.order = order_, .bandwidth = bandwidth};
      return;
    }
    const int here = order_.back();
    const bool only_end_left = order_.size() + 1 == width_.size();
    for (const int next : by_width_[here]) {
      if (visited_[next] || (next == end_) != only_end_left || width_[here][next] <= 0) continue;
      if (Done()) return;
      ++tries_;
      const Route& hop = stops_.route[here][next];
      const double after = std::min(bandwidth, Load(hop, 1));
      if (after > best_.bandwidth) {
        visited_[next] = true;
        order_.push_back(next);
        Extend(after);
        order_.pop_back();
        visited_[next] = false;
      }
      Load(hop, -1);
    }
  }

  const Stops& stops_;
  const std::vector<double>& left_;
  std::size_t longest_hop_;
  std::vector<int> load_;                   // hops of the ring so far, by way
  std::vector<std::vector<double>> width_;  // of every route alone, on what is left
  std::vector<std::vector<int>> by_width_;
  double most_ = 0;
  int tries_ = 0;
  int ends_tries_ = 0;  // where the tries for the present end stop
  int end_ = 0;
  std::vector<int> order_;
  std::vector<bool> visited_;
  FoundRing best_;
};

}  // namespace

std::optional<FoundRing> Reversed(const FoundRing& ring, const Stops& stops,
                                  const std::vector<double>& left) {
  FoundRing reversed = ring;
  std::reverse(reversed.order.begin() + 1, reversed.order.end());
  std::vector<int> load(left.size(), 0);
  reversed.bandwidth = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < reversed.order.size(); ++i) {
    const Route& hop = stops.route[reversed.order[i]][reversed.order[(i + 1) % reversed.order.size()]];
    for (const Way way : hop.ways) {
      reversed.bandwidth = std::min(reversed.bandwidth, left[way] / ++load[way]);
    }
  }
  if (reversed.bandwidth < ring.bandwidth) return std::nullopt;
  reversed.bandwidth = ring.bandwidth;
  return reversed;
}

std::optional<FoundRing> WidestRing(const Stops& stops, const std::vector<double>& left,
                                    std::size_t longest_hop) {
  if (stops.route.size() < 2) return std::nullopt;
  return Search(stops, left, longest_hop).Run();
}

}  // namespace stallscope::cost
