#include "tests/simgrid/schedules.h"

#include <algorithm>

namespace stallscope::simulated {
namespace {

int Add(Schedule& schedule, Message message) {
  schedule.push_back(std::move(message));
  return static_cast<int>(schedule.size()) - 1;
}

}  // namespace

Awaited AddRing(Schedule& schedule, const std::vector<int>& ring, int steps, double chunk,
                const Awaited& before, int stream) {
  const int ranks = static_cast<int>(ring.size());
  Awaited ready = before;
  ready.resize(ranks);
  for (int step = 0; step < steps; ++step) {
    Awaited received(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const int next = (rank + 1) % ranks;
      received[next] = {Add(schedule, {ring[rank], ring[next], chunk, ready[rank], stream})};
      // What it adds to the sum is there when its own earlier phase is done.
      if (!before.empty())
        received[next].insert(received[next].end(), before[next].begin(), before[next].end());
    }
    ready = std::move(received);
  }
  return ready;
}

void AddTree(Schedule& schedule, const std::vector<int>& ranks, const std::vector<int>& parent,
             double payload, double piece, int tree) {
  const int count = static_cast<int>(ranks.size());
  std::vector<std::vector<int>> children(count);
  std::vector<int> top_down;
  const int root = static_cast<int>(std::find(parent.begin(), parent.end(), -1) - parent.begin());
  for (int i = 0; i < count; ++i) {
    if (i != root) children[parent[i]].push_back(i);
  }
  top_down.push_back(root);
  for (std::size_t i = 0; i < top_down.size(); ++i) {
    top_down.insert(top_down.end(), children[top_down[i]].begin(), children[top_down[i]].end());
  }
  std::vector<std::vector<int>> up(count), down(count);
  int k = 0;
  for (double left = payload; left > 0; left -= piece, ++k) {
    const auto message = [&](int from, int to, std::vector<int> after, std::vector<int>& sent, int stream) {
      sent.push_back(
          Add(schedule, {ranks[from], ranks[to], std::min(piece, left), std::move(after), stream}));
    };
    const auto arrived = [&](int rank) {
      std::vector<int> after;
      for (const int child : children[rank]) after.push_back(up[child][k]);
      return after;
    };
    for (int i = count - 1; i > 0; --i) {
      message(top_down[i], parent[top_down[i]], arrived(top_down[i]), up[top_down[i]], 2 * tree);
    }
    for (int i = 1; i < count; ++i) {
      const int rank = top_down[i];
      const int from = parent[rank];
      message(from, rank, from == root ? arrived(root) : std::vector<int>{down[from][k]}, down[rank],
              2 * tree + 1);
    }
  }
}

void AddBinomial(Schedule& schedule, const std::vector<int>& ranks, double payload) {
  const int count = static_cast<int>(ranks.size());
  Awaited received(count);
  int distance = 1;
  for (; distance < count; distance *= 2) {
    for (int to = 0; to + distance < count; to += 2 * distance) {
      const int from = to + distance;
      std::vector<int> both = received[from];
      both.insert(both.end(), received[to].begin(), received[to].end());
      received[to].push_back(Add(schedule, {ranks[from], ranks[to], payload, both}));
    }
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    for (int from = 0; from + distance < count; from += 2 * distance) {
      const int to = from + distance;
      const int id = Add(schedule, {ranks[from], ranks[to], payload, received[from]});
      received[from].push_back(id);
      received[to] = {id};
    }
  }
}

void AddServers(Schedule& schedule, const std::vector<int>& workers, const std::vector<int>& servers,
                double part, bool colocated) {
  for (std::size_t s = 0; s < servers.size(); ++s) {
    const auto local = [&](std::size_t w) { return colocated && w == s; };
    std::vector<int> pushed;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (!local(w)) pushed.push_back(Add(schedule, {workers[w], servers[s], part, {}}));
    }
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (!local(w)) Add(schedule, {servers[s], workers[w], part, pushed});
    }
  }
}

std::vector<int> FirstTree(int ranks) {
  std::vector<int> parent{-1};
  for (int rank = 1; rank < ranks; ++rank) {
    const int lowest = rank & -rank;
    const int up = (rank ^ lowest) | (2 * lowest);
    parent.push_back(up < ranks ? up : rank ^ lowest);
  }
  return parent;
}

std::vector<int> SecondTree(int ranks) {
  const std::vector<int> first = FirstTree(ranks);
  std::vector<int> parent(ranks, -1);
  // Mirrored for an even number, shifted by one for an odd number.
  const auto renamed = [ranks](int rank) { return ranks % 2 == 0 ? ranks - 1 - rank : (rank + 1) % ranks; };
  for (int rank = 0; rank < ranks; ++rank) {
    if (first[rank] >= 0) parent[renamed(rank)] = renamed(first[rank]);
  }
  return parent;
}

}  // namespace stallscope::simulated
