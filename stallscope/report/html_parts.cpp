#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/units.h"
#include "stallscope/report/html_chart.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

struct NamedPart {
  const char* color;
  const char* name;
  const char* meaning;
  double StepParts::*part;
};

/// In the order of a step.
constexpr std::array kParts = {
    NamedPart{"wait", "data wait", "for the loader", &StepParts::data_wait_s},
    NamedPart{"copy", "copy", "to the device", &StepParts::copy_s},
    NamedPart{"forward", "forward", "pass", &StepParts::forward_s},
    NamedPart{"backward", "backward", "pass, with what it hides", &StepParts::backward_s},
    NamedPart{"exposed", "exposed communication", "after the backward pass",
              &StepParts::exposed_communication_s},
    NamedPart{"optimizer", "optimizer", "update", &StepParts::optimizer_s}};

std::string RungBar(const std::string& name, const ConditionInfo& rung, double axis_end) {
  std::vector<Segment> segments;
  std::string spoken;
  for (const NamedPart& named : kParts) {
    const double seconds = rung.parts.*named.part;
    const double step_s = rung.step_time_s.mean;
    segments.push_back({named.color, named.name, seconds, step_s > 0 ? seconds / step_s : 0});
    if (seconds > 0) spoken += fmt::format(", {} {}", named.name, FormatSeconds(seconds));
  }
  return fmt::format("<div class=\"rungbar\"><b>{}</b>{}</div>\n", name,
                     StackedBar(segments, axis_end, fmt::format("A step of {}{}", name, spoken)));
}

std::string Legend() {
  std::string legend = "<ul class=\"legend\">\n";
  for (const NamedPart& named : kParts) {
    legend += fmt::format("<li>{}<span><b>{}</b> <span class=\"soft\">{}</span></span></li>\n",
                          Swatch(named.color), named.name, named.meaning);
  }
  return legend + "</ul>\n";
}

/// Without an exchange of gradients there is nothing to say about it.
std::string CommunicationCells(const std::optional<CommunicationInfo>& communication) {
  if (!communication) return "<td colspan=\"3\" class=\"soft\">no gradients exchanged</td>";
  return fmt::format("<td>{}</td><td>{}</td><td>{}</td>", FormatSeconds(communication->transfer_s),
                     FormatSeconds(communication->skew_s), PercentText(communication->overlap_share));
}

}  // namespace

std::string PartsSection(const Profile& profile) {
  if (profile.conditions.empty()) return "";
  double axis_end = 0;
  for (const auto& [name, rung] : profile.conditions) {
    double sum = 0;
    for (const NamedPart& named : kParts) sum += std::max(rung.parts.*named.part, 0.0);
    axis_end = std::max({axis_end, rung.step_time_s.mean, sum});
  }
  std::string rows = "<thead><tr><th scope=\"col\">rung</th>";
  for (const NamedPart& named : kParts) rows += fmt::format("<th scope=\"col\">{}</th>", named.name);
  rows +=
      "<th scope=\"col\">transfer of gradients</th><th scope=\"col\">waiting for the slowest rank</th><th "
      "scope=\"col\">hidden by backward</th></tr></thead>\n<tbody>\n";
  std::string bars;
  for (const std::string& name : ConditionNames()) {
    const auto found = profile.conditions.find(name);
    if (found == profile.conditions.end()) continue;
    bars += RungBar(name, found->second, axis_end);
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", name);
    for (const NamedPart& named : kParts) {
      rows += fmt::format("<td>{}</td>", FormatSeconds(found->second.parts.*named.part));
    }
    rows += CommunicationCells(found->second.communication) + "</tr>\n";
  }
  return "<figure>" + bars + "<div class=\"rungbar\"><span></span>" + TimeAxis(axis_end) + "</div>" +
         Legend() + "</figure>\n" + ScrollingTable("Parts of a step, per rung", rows + "</tbody>");
}

}  // namespace stallscope
