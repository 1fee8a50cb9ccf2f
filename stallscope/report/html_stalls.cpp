#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "stallscope/base/units.h"
#include "stallscope/report/html_chart.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

struct NamedStall {
  const char* name;
  std::optional<Stall> Stalls::*stall;
};

struct NamedPart {
  const char* name;
  std::optional<Stall> Stalls::*stall;
  std::optional<Stall> Stalls::*whole;
};

/// What adds up to a step.
constexpr std::array kStalls = {NamedStall{"compute", &Stalls::compute},
                                NamedStall{"interconnect", &Stalls::interconnect},
                                NamedStall{"network", &Stalls::network}, NamedStall{"prep", &Stalls::prep},
                                NamedStall{"fetch", &Stalls::fetch}};

constexpr std::array kParts = {NamedPart{"contention", &Stalls::contention, &Stalls::interconnect},
                               NamedPart{"communication", &Stalls::communication, &Stalls::interconnect},
                               NamedPart{"copy", &Stalls::copy, &Stalls::prep}};

struct Total {
  std::string title;
  Estimate step_time_s;
  const Stalls* stalls;
};

std::string HighestRung(const Profile& profile) {
  std::string highest;
  for (const std::string& name : ConditionNames()) {
    if (profile.conditions.contains(name)) highest = name;
  }
  return highest;
}

std::vector<Total> TotalsOf(const Profile& profile) {
  std::vector<Total> totals;
  if (profile.first_epoch) {
    totals.push_back({"First epoch, data from the disk", profile.first_epoch->step_time_s, &profile.stalls});
  }
  if (const auto& steady = profile.steady_state) {
    totals.push_back(
        {fmt::format("Steady state, {} of the data in memory", PercentText(steady->cached_share)),
         steady->step_time_s, &steady->stalls});
  }
  if (totals.empty()) {
    totals.push_back(
        {fmt::format("A step of {}", HighestRung(profile)), profile.step_time_s, &profile.stalls});
  }
  return totals;
}

/// An area says "so much": what may be nothing, or is less than nothing, is told and not drawn.
bool HasArea(const Stall& stall) {
  return stall.distinguishable && stall.seconds.mean > 0;
}

/// "network 27.5 % ± 1.2 %".
std::string Spoken(const char* name, const Stall& stall) {
  return fmt::format("{} {}", name, ShareText(stall.share));
}

std::string Numbers(const char* name, const Stall& stall) {
  return fmt::format("<b>{}</b> <span class=\"number\">{}</span> <span class=\"number soft\">{}</span>{}",
                     name, ShareText(stall.share), TimeText(stall.seconds), DoubtAbout(stall));
}

/// One stall with its parts below it.
std::string LegendItem(const NamedStall& named, const Stalls& stalls) {
  const Stall& stall = *(stalls.*named.stall);
  const bool drawn = HasArea(stall);
  std::string item =
      fmt::format("<li>{}<div>{}{}", drawn ? Swatch(named.name) : "<span class=\"swatch\"></span>",
                  Numbers(named.name, stall), drawn ? "" : " <small>not drawn</small>");
  for (const NamedPart& part : kParts) {
    if (part.whole != named.stall || !(stalls.*part.stall)) continue;
    item += fmt::format("<div class=\"part\">of it {}</div>", Numbers(part.name, *(stalls.*part.stall)));
  }
  return item + "</div></li>\n";
}

std::string TotalBar(const Total& total, double axis_end) {
  std::vector<Segment> segments;
  std::string spoken, legend;
  for (const NamedStall& named : kStalls) {
    const std::optional<Stall>& stall = total.stalls->*named.stall;
    if (!stall) continue;
    legend += LegendItem(named, *total.stalls);
    spoken += (spoken.empty() ? "" : ", ") + Spoken(named.name, *stall);
    if (!stall->distinguishable) spoken += " (indistinguishable from zero)";
    if (HasArea(*stall)) {
      segments.push_back({named.name, named.name, stall->seconds.mean, stall->share.mean});
    }
  }
  const std::string time = TimeText(total.step_time_s);
  return fmt::format(
             "<figure class=\"total\"><figcaption>{}: <b class=\"number\">{}</b> per step</figcaption>\n",
             Escaped(total.title), time) +
         StackedBar(segments, axis_end, fmt::format("{}, {} per step: {}", total.title, time, spoken)) +
         TimeAxis(axis_end) + "<ul class=\"legend\">\n" + legend + "</ul></figure>\n";
}

}  // namespace

std::string DoubtAbout(const Stall& stall) {
  if (!stall.distinguishable) return " <small class=\"doubt\">indistinguishable from zero</small>";
  if (stall.seconds.mean < 0) {
    return " <small class=\"doubt\">negative: something else differs between the rungs</small>";
  }
  return "";
}

std::string StallsSection(const Profile& profile) {
  if (!profile.stalls.compute) return "";
  const std::vector<Total> totals = TotalsOf(profile);
  // One axis for all bars, so that their lengths compare.
  double axis_end = 0;
  for (const Total& total : totals) {
    double drawn = 0;
    for (const NamedStall& named : kStalls) {
      const std::optional<Stall>& stall = total.stalls->*named.stall;
      if (stall && HasArea(*stall)) drawn += stall->seconds.mean;
    }
    axis_end = std::max({axis_end, total.step_time_s.mean, drawn});
  }
  std::string html =
      "<p class=\"lead\">Every number is a mean with its 95 % interval. The whole bar is one training step: "
      "what computes, and what waits.</p>\n";
  for (const Total& total : totals) html += TotalBar(total, axis_end);
  return html;
}

}  // namespace stallscope
