#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stallscope/report/html_chart.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

const std::map<std::string, const char*>& MeaningOfRungs() {
  static const std::map<std::string, const char*> kMeanings = {
      {"solo", "one device alone"},
      {"crowd", "all devices of a machine, each for itself"},
      {"node", "gradients averaged as within one machine"},
      {"cluster", "gradients averaged over all machines"},
      {"warm", "real data, from memory"},
      {"cold", "real data, from the disk"},
  };
  return kMeanings;
}

/// The table lies flat on wide screens and becomes a list of cards on narrow ones; the roles keep it a table
/// for screen readers in both.
std::string Cell(const char* label, const std::string& html) {
  return fmt::format("<td role=\"cell\" data-label=\"{}\">{}</td>", label, html);
}

std::string StallCells(const char* name, const Stall& stall) {
  return Cell("adds", fmt::format("<span><b>{}</b>{}</span>", name, DoubtAbout(stall))) +
         Cell("time", fmt::format("<span class=\"number\">{}</span>", TimeText(stall.seconds))) +
         Cell("share", fmt::format("<span class=\"number\">{}</span>", ShareText(stall.share)));
}

class LadderTable {
 public:
  explicit LadderTable(const Profile& profile) : profile_(profile) {
    for (const auto& [name, rung] : profile.conditions) {
      axis_end_ = std::max({axis_end_, rung.step_time_s.high, rung.step_time_s.mean});
    }
  }

  std::string Html() {
    const Stalls& stalls = profile_.stalls;
    Rung("solo", "", std::nullopt);
    Rung("crowd", "contention", stalls.contention);
    Rung("node", stalls.contention ? "communication" : "interconnect",
         stalls.contention ? stalls.communication : stalls.interconnect);
    if (stalls.contention && stalls.communication && stalls.interconnect) {
      Sum("both: interconnect", *stalls.interconnect);
    }
    Rung("cluster", "network", stalls.network);
    Rung("warm", "prep", stalls.prep);
    if (stalls.copy) Sum("of it copy", *stalls.copy);
    Rung("cold", "fetch", stalls.fetch);
    return "<table class=\"ladder\" role=\"table\" aria-label=\"The stall ladder\">\n<thead "
           "role=\"rowgroup\"><tr role=\"row\">"
           "<th role=\"columnheader\" scope=\"col\">rung</th><th role=\"columnheader\" scope=\"col\">step "
           "time</th><th role=\"columnheader\" scope=\"col\">the step up adds</th><th role=\"columnheader\" "
           "scope=\"col\">time per step</th><th role=\"columnheader\" scope=\"col\">share of a "
           "step</th></tr></thead>\n<tbody role=\"rowgroup\">\n" +
           rows_ + "</tbody></table>\n";
  }

 private:
  void Row(const char* style, const std::string& head, const std::string& cells) {
    rows_ +=
        fmt::format("<tr role=\"row\" class=\"{}\"><th role=\"rowheader\" scope=\"row\">{}</th>{}</tr>\n",
                    style, head, cells);
  }

  void Sum(const char* name, const Stall& stall) {
    rows_ += fmt::format(
        "<tr role=\"row\" class=\"sum\"><td role=\"cell\" class=\"empty\" colspan=\"2\"></td>{}</tr>\n",
        StallCells(name, stall));
  }

  void Absent(const std::string& name) {
    for (const AbsentCondition& absent : profile_.absent) {
      if (absent.condition != name) continue;
      Row("absent", fmt::format("<b>{}</b>", name),
          fmt::format("<td role=\"cell\" colspan=\"4\">absent: {}</td>", Escaped(absent.reason)));
    }
  }

  void Rung(const std::string& name, const char* adds, const std::optional<Stall>& stall) {
    const auto found = profile_.conditions.find(name);
    if (found == profile_.conditions.end()) return Absent(name);
    const ConditionInfo& rung = found->second;
    std::string about = MeaningOfRungs().at(name);
    if (rung.cache) about += fmt::format(" (verified {})", Escaped(*rung.cache));
    const std::string head = fmt::format("<b>{}</b> <small>{}; {}, {}</small>", name, about,
                                         Counted(rung.rounds, "round"), Counted(rung.steps, "step"));
    std::string cells =
        Cell("step time", fmt::format("<span class=\"timed\"><span class=\"number\">{}</span>{}</span>",
                                      TimeText(rung.step_time_s), IntervalBar(rung.step_time_s, axis_end_)));
    const std::optional<Stall>& own = base_ ? profile_.stalls.compute : stall;
    cells += own ? StallCells(base_ ? "compute" : adds, *own)
                 : "<td role=\"cell\" class=\"empty\" colspan=\"3\"></td>";
    Row("rung", head, cells);
    base_ = false;
  }

  const Profile& profile_;
  double axis_end_ = 0;
  std::string rows_;
  bool base_ = true;  ///< no rung written yet: the next one is what the ladder stands on
};

}  // namespace

std::string LadderSection(const Profile& profile) {
  if (profile.conditions.empty() && profile.absent.empty()) return "";
  return "<p class=\"lead\">Each rung trains under one more burden than the rung below it; the difference is "
         "what that burden costs. Brackets are 95 % intervals, all on one axis from zero.</p>\n" +
         LadderTable(profile).Html();
}

}  // namespace stallscope
