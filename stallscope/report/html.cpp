#include "stallscope/report/html.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "stallscope/report/console.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_style.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

/// Nothing is loaded, nothing runs, nothing is sent: also where a name in the document should ever get
/// past the escaping.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

struct Section {
  const char* id;
  const char* title;
  std::string body;
};

std::vector<Section> SectionsOf(const Profile& profile) {
  std::vector<Section> sections = {
      {"stalls", "Where a step waits", StallsSection(profile)},
      {"ladder", "The stall ladder", LadderSection(profile)},
      {"parts", "What a step is made of", PartsSection(profile)},
      {"buckets", "When gradients travel", BucketsSection(profile)},
      {"loading", "Loading data", LoadingSection(profile)},
      {"resources", "What the machines did", ResourcesSection(profile)},
      {"reference", "Against one large machine", ReferenceSection(profile)},
      {"findings", "Findings", FindingsSection(profile)},
      {"workload", "What was trained", WorkloadSection(profile)},
      {"provenance", "Where these numbers come from", ProvenanceSection(profile)},
  };
  std::erase_if(sections, [](const Section& section) { return section.body.empty(); });
  return sections;
}

/// "2 emulated machines with 1 device each".
std::string MachinesText(const ClusterInfo& cluster) {
  return fmt::format("{} {}{} with {}{}", cluster.nodes, cluster.emulated ? "emulated machine" : "machine",
                     cluster.nodes == 1 ? "" : "s", Counted(cluster.devices_per_node, "device"),
                     cluster.nodes == 1 ? "" : " each");
}

std::string Subtitle(const Profile& profile) {
  std::string line =
      fmt::format("{}{}, batch {} per device", MachinesText(profile.cluster),
                  profile.cluster.emulated ? "" : ", not emulated", profile.workload.batch_per_device);
  if (const auto& dataset = profile.workload.dataset) {
    line += fmt::format(", data from <code>{}</code>", Escaped(dataset->path));
  } else {
    line += ", synthetic data only";
  }
  return line;
}

std::string Head(const Profile& profile) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"stallscope {}\">\n"
      "<title>{} on {}: stallscope profile</title>\n<style>\n{}</style>\n</head>\n",
      kPolicy, Escaped(STALLSCOPE_VERSION), Escaped(profile.workload.model), MachinesText(profile.cluster),
      PageStyle());
}

std::string Header(const Profile& profile) {
  return fmt::format(
      "<header><p class=\"kind\">stallscope profile</p>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n"
      "<p class=\"verdict\">{}</p>\n<p class=\"rate\"><b class=\"number\">{:.1f} samples/s</b> "
      "<span class=\"soft\">({:.1f} to {:.1f} samples/s)</span></p></header>\n",
      Escaped(profile.workload.model), Subtitle(profile), EscapedSentence(Verdict(profile)),
      profile.samples_per_s.mean, profile.samples_per_s.low, profile.samples_per_s.high);
}

}  // namespace

void WriteHtml(const Profile& profile, std::ostream& out) {
  const std::vector<Section> sections = SectionsOf(profile);
  out << Head(profile) << "<body>\n<a class=\"skip\" href=\"#main\">Skip to the numbers</a>\n"
      << Header(profile) << "<nav aria-label=\"Sections\"><ul>";
  for (const Section& section : sections) {
    out << fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
  }
  out << "</ul></nav>\n<main id=\"main\">\n";
  for (const Section& section : sections) {
    out << fmt::format(
               "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}",
               section.id, section.title, section.body)
        << "</section>\n";
  }
  out << "</main>\n</body>\n</html>\n";
}

}  // namespace stallscope
