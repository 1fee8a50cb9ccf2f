#include "stallscope/law/law_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stallscope/base/units.h"
#include "stallscope/law/law_document.h"
#include "stallscope/predict/exchange_law.h"
#include "stallscope/stats/mean.h"

namespace stallscope {
namespace {

/// A share of the step from the fewest layers to the most that nobody would notice.
constexpr double kUnnoticed = 0.05;
/// Between what a layer costs and the whole step: people think in tens of layers.
constexpr double kLayersSpokenOf = 10;

std::string BucketWords(const std::string& bucket) {
  if (bucket == "tensor") return "one all-reduce per tensor";
  if (bucket == "model") return "one all-reduce per model";
  return "buckets of " + bucket;
}

/// Two digits are enough for words; below a tenth of a microsecond is nothing.
std::string Time(double seconds) {
  return std::abs(seconds) < 1e-7 ? "0" : FormatSeconds(seconds);
}

std::string Interval(const Estimate& estimate, double scale) {
  return fmt::format("{} ({} to {})", Time(scale * estimate.mean), Time(scale * estimate.low),
                     Time(scale * estimate.high));
}

struct Shares {
  std::vector<double> wire, calls, processors, stragglers, hidden, stall;
};

Shares SharesAt(const Law& law, const LawPlace& place) {
  Shares shares;
  for (const LawPoint& point : law.points) {
    if (!(point.place == place) || !point.parts || !(point.law.stall_s > 0)) continue;
    const LawParts& parts = *point.parts;
    const double stall = point.law.stall_s;
    shares.wire.push_back(parts.wire_s / stall);
    shares.calls.push_back(parts.calls_s / stall);
    shares.processors.push_back(parts.processors_s / stall);
    shares.stragglers.push_back(parts.stragglers_s / stall);
    const double transfers = parts.hidden_s + stall - parts.stragglers_s;
    shares.hidden.push_back(transfers > 0 ? parts.hidden_s / transfers : 0);
    shares.stall.push_back(point.stall_s.mean / point.step_time_s.mean);
  }
  return shares;
}

std::string Sentence(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

LawStatement StatementAt(const LawPlace& place, const Shares& shares) {
  std::vector<std::pair<double, std::string>> parts = {
      {MedianOf(shares.wire), "for the link's rate"},
      {MedianOf(shares.calls), "for messages and tensors"},
      {MedianOf(shares.processors), "for sending, adding up and copying"},
      {MedianOf(shares.stragglers), "for slower computing"},
  };
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [share, what] : parts) texts.push_back(fmt::format("{:.0f} % {}", 100 * share, what));
  return {.text = Sentence(
              fmt::format("{} with {} the stall is {:.0f} % of the step (medians of {} networks); of it {}. "
                          "{:.0f} % of the exchange hides behind the backward pass.",
                          LinkWords(place.link), BucketWords(place.bucket), 100 * MedianOf(shares.stall),
                          shares.stall.size(), fmt::join(texts, ", "), 100 * MedianOf(shares.hidden))),
          .bucket = place.bucket,
          .link = place.link,
          .ranks = place.ranks};
}

/// Where messages end and bytes begin to count.
std::string SizeStatement(const Law& law, const std::string& link, int ranks) {
  const ExchangeLaw coefficients = ExchangeLawOf(law);
  double per_byte = coefficients.processor_s_per_byte;
  for (const LawPoint& point : law.points) {
    if (point.place.link == link && point.bandwidth_bytes_per_s)
      per_byte = std::max(per_byte, 1 / (coefficients.wire_share * *point.bandwidth_bytes_per_s));
  }
  // Both sides grow with 2(n-1): messages fully, bytes by 2(n-1)/n.
  const double size = coefficients.message_s * ranks / per_byte;
  return Sentence(fmt::format("{} an all-reduce of less than {} takes its messages' {} whatever its size.",
                              LinkWords(link), FormatBytes(size),
                              Time(2.0 * (ranks - 1) * coefficients.message_s)));
}

std::vector<const LawDepth*> DepthsOf(const Law& law, bool per_tensor) {
  std::vector<const LawDepth*> depths;
  for (const LawDepth& depth : law.depth) {
    if ((depth.place.bucket == "tensor") == per_tensor) depths.push_back(&depth);
  }
  return depths;
}

std::string SlopeWords(const LawDepth& depth) {
  return fmt::format("{} {}", Interval(depth.per_layer_s, kLayersSpokenOf), LinkWords(depth.place.link));
}

std::string JoinedSlopes(const std::vector<const LawDepth*>& depths) {
  std::vector<std::string> texts;
  for (const LawDepth* depth : depths) texts.push_back(SlopeWords(*depth));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the bucketed slopes say together: the largest of those that can be told from zero, if any can.
std::string Conclusion(const std::vector<const LawDepth*>& bucketed) {
  const bool any = std::any_of(bucketed.begin(), bucketed.end(),
                               [](const LawDepth* depth) { return depth->distinguishable; });
  const LawDepth* worst = nullptr;
  for (const LawDepth* depth : bucketed) {
    if (depth->distinguishable != any) continue;
    if (!worst || std::abs(depth->growth->mean) > std::abs(worst->growth->mean)) worst = depth;
  }
  const std::int64_t fewest = worst->rows.front().layers;
  const std::int64_t most = worst->rows.back().layers;
  const std::string largest = fmt::format(
      "from {} layers to {} the step changes by {:+.1f} % ({:+.1f} to {:+.1f} %) at most ({}, {})", fewest,
      most, 100 * worst->growth->mean, 100 * worst->growth->low, 100 * worst->growth->high,
      BucketWords(worst->place.bucket), LinkWords(worst->place.link));
  if (!any)
    return "Once gradients are bucketed no effect of the number of layers can be told from zero: " + largest +
           ".";
  if (std::abs(worst->growth->mean) < kUnnoticed)
    return "Once gradients are bucketed the number of layers hardly matters: " + largest + ".";
  return "Also where gradients are bucketed the number of layers matters: " + largest + ".";
}

std::string AnswerFromCoefficients(const Law& law) {
  const auto value = [&](const char* name) -> Estimate {
    for (const LawValue& one : law.coefficients) {
      if (one.name == name) return one.value;
    }
    return {};
  };
  return fmt::format(
      "The sweep has no networks of equal gradient bytes and different depth, so only the fitted "
      "coefficients "
      "answer: every gradient tensor costs {} in whatever bucket it travels, and {} more for each message "
      "where "
      "it is an all-reduce of its own.",
      Interval(value("tensor_s"), 1), Interval(value("message_s"), 1));
}

}  // namespace

std::vector<LawStatement> StatementsOf(const Law& law) {
  std::vector<LawStatement> statements;
  std::vector<LawPlace> places;
  for (const LawPoint& point : law.points) {
    if (std::find(places.begin(), places.end(), point.place) == places.end()) places.push_back(point.place);
  }
  std::vector<std::pair<std::string, int>> links;
  for (const LawPlace& place : places) {
    const Shares shares = SharesAt(law, place);
    if (shares.stall.empty()) continue;
    statements.push_back(StatementAt(place, shares));
    const std::pair<std::string, int> link(place.link, place.ranks);
    if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
  }
  for (const auto& [link, ranks] : links) {
    statements.push_back(
        {.text = SizeStatement(law, link, ranks), .bucket = std::nullopt, .link = link, .ranks = ranks});
  }
  return statements;
}

std::string AnswerOf(const Law& law) {
  const std::vector<const LawDepth*> tensors = DepthsOf(law, true);
  const std::vector<const LawDepth*> bucketed = DepthsOf(law, false);
  if (tensors.empty() && bucketed.empty()) return AnswerFromCoefficients(law);
  const LawDepth& any = law.depth.front();
  std::string text = fmt::format("At {} of gradients, {:.0f} more layers cost",
                                 FormatBytes(any.gradient_bytes), kLayersSpokenOf);
  if (!tensors.empty()) text += fmt::format(" with one all-reduce per tensor {}", JoinedSlopes(tensors));
  std::vector<std::string> buckets;
  for (const LawDepth* depth : bucketed) {
    if (std::find(buckets.begin(), buckets.end(), depth->place.bucket) == buckets.end())
      buckets.push_back(depth->place.bucket);
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    std::vector<const LawDepth*> of_bucket;
    for (const LawDepth* depth : bucketed) {
      if (depth->place.bucket == buckets[i]) of_bucket.push_back(depth);
    }
    text += fmt::format("{} with {} {}", i > 0 || !tensors.empty() ? ";" : "", BucketWords(buckets[i]),
                        JoinedSlopes(of_bucket));
  }
  text += ".";
  return bucketed.empty() ? text : text + " " + Conclusion(bucketed);
}

}  // namespace stallscope
