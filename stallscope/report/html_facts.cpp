#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/units.h"
#include "stallscope/report/html_sections.h"
#include "stallscope/report/html_text.h"

namespace stallscope {
namespace {

std::string Size(double bytes) {
  return FormatBytes(bytes);
}

std::string SizeOfCount(std::int64_t bytes) {
  return FormatBytes(static_cast<double>(bytes));
}

std::string Code(const std::string& text) {
  return "<code>" + Escaped(text) + "</code>";
}

struct NamedResource {
  const char* name;
  std::optional<double> ResourceInfo::*value;
  std::string (*show)(double);
};

constexpr std::array kResources = {
    NamedResource{"CPU busy, of all cores", &ResourceInfo::cpu_busy_share, PercentText},
    NamedResource{"memory used", &ResourceInfo::memory_used_bytes, Size},
    NamedResource{"page cache", &ResourceInfo::page_cache_bytes, Size},
    NamedResource{"disk read", &ResourceInfo::disk_read_bytes_per_s, RateText},
    NamedResource{"disk written", &ResourceInfo::disk_written_bytes_per_s, RateText},
    NamedResource{"network received", &ResourceInfo::network_received_bytes_per_s, RateText},
    NamedResource{"network sent", &ResourceInfo::network_sent_bytes_per_s, RateText},
    NamedResource{"GPU busy", &ResourceInfo::gpu_busy_share, PercentText},
    NamedResource{"GPU memory", &ResourceInfo::gpu_memory_bytes, Size}};

/// Whether any rung knows it: a column of blanks would tell nothing.
bool IsKnown(const Profile& profile, const NamedResource& resource) {
  return std::any_of(profile.conditions.begin(), profile.conditions.end(), [&](const auto& entry) {
    return entry.second.resources && (*entry.second.resources).*resource.value;
  });
}

void AddDataset(const Profile& profile, FactList& facts) {
  facts.AddIf("data set", profile.workload.dataset, [](const DatasetInfo& dataset) {
    return fmt::format("{} <small>{}, {}, {}</small>", Code(dataset.path), Escaped(dataset.kind),
                       Number(Counted(dataset.samples, "sample")), Number(SizeOfCount(dataset.bytes)));
  });
}

}  // namespace

std::string ScrollingTable(const std::string& label, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>\n{}\n</table></div>\n",
      Escaped(label), rows);
}

std::string LoadingSection(const Profile& profile) {
  FactList facts;
  AddDataset(profile, facts);
  facts.AddIf("workers in use", profile.workload.loader_workers,
              [](std::int64_t workers) { return fmt::format("{} per device", workers); });
  if (const auto& optimal = profile.optimal) {
    facts.AddIf("workers that suffice", optimal->workers_per_device,
                [](int workers) { return fmt::format("{} per device", workers); });
    facts.AddIf("memory that suffices", optimal->cache_bytes, [](std::int64_t bytes) {
      return SizeOfCount(bytes) + " <small>on each machine, for cached files</small>";
    });
    facts.AddIf("share to keep in memory", optimal->cached_share, [](double share) {
      return PercentText(share) +
             " <small>of the data set, at least, to hide the disk behind training</small>";
    });
  }
  if (const auto& steady = profile.steady_state) {
    facts.AddIf("memory there is", steady->room_bytes, [&](std::int64_t bytes) {
      return fmt::format("{} <small>on one machine; holds {} of the data set</small>", SizeOfCount(bytes),
                         PercentText(steady->cached_share));
    });
  }
  facts.AddIf("loader alone", profile.loader_limit_s, [](const Estimate& limit) {
    return Number(TimeText(limit)) + " <small>per step, with nothing to hide behind</small>";
  });
  facts.AddIf("storage alone", profile.fetch_limit_s, [](const Estimate& limit) {
    return Number(TimeText(limit)) + " <small>per step, reading and nothing else</small>";
  });
  facts.AddIf("one worker, one sample", profile.loader, [](const LoaderInfo& loader) {
    return fmt::format("reads {} in {}, decodes in {}", Number(FormatBytes(loader.bytes)),
                       Number(FormatSeconds(loader.read_s)), Number(FormatSeconds(loader.decode_s)));
  });
  return facts.Html();
}

std::string ResourcesSection(const Profile& profile) {
  std::string head, rows;
  for (const NamedResource& resource : kResources) {
    if (IsKnown(profile, resource)) head += fmt::format("<th scope=\"col\">{}</th>", resource.name);
  }
  if (head.empty()) return "";
  for (const std::string& name : ConditionNames()) {
    const auto found = profile.conditions.find(name);
    if (found == profile.conditions.end() || !found->second.resources) continue;
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", name);
    for (const NamedResource& resource : kResources) {
      if (!IsKnown(profile, resource)) continue;
      const std::optional<double>& value = (*found->second.resources).*resource.value;
      rows += value ? fmt::format("<td>{}</td>", resource.show(*value)) : "<td class=\"soft\">not read</td>";
    }
    rows += "</tr>\n";
  }
  return "<p class=\"lead\">What a machine did while a rung was measured: means over samples, rounds and "
         "machines.</p>\n" +
         ScrollingTable("Resources per rung",
                        fmt::format("<thead><tr><th scope=\"col\">rung</th>{}</tr></thead>\n"
                                    "<tbody>\n{}</tbody>",
                                    head, rows));
}

std::string ReferenceSection(const Profile& profile) {
  if (!profile.reference) return "";
  const ReferenceInfo& reference = *profile.reference;
  FactList facts;
  facts.Add("compared with", Code(reference.file));
  facts.Add("its node step", Number(TimeText(reference.node_step_time_s)));
  facts.Add("network stall",
            fmt::format("{} <small>{} of this cluster's step</small>{}", TimeText(reference.network.seconds),
                        ShareText(reference.network.share), DoubtAbout(reference.network)));
  return "<p class=\"lead\">These machines against one machine that holds as many devices.</p>\n" +
         facts.Html();
}

std::string FindingsSection(const Profile& profile) {
  if (profile.findings.empty()) return "";
  std::string html = "<ol class=\"findings\">\n";
  for (const Finding& finding : profile.findings) {
    const std::string severity = ToString(finding.severity);
    html += fmt::format(
        "<li class=\"{0}\"><h3><span class=\"severity\">{0}</span> {1}</h3>\n<p><b>Why:</b> "
        "{2}.</p>\n<p><b>Advice:</b> {3}.</p>\n",
        severity, EscapedSentence(finding.what), EscapedSentence(finding.why),
        EscapedSentence(finding.advice));
    if (finding.saves_s) {
      html += fmt::format("<p class=\"saves\">Saves at most <b class=\"number\">{}</b> per step.</p>\n",
                          FormatSeconds(*finding.saves_s));
    }
    html += "</li>\n";
  }
  return html + "</ol>\n";
}

std::string WorkloadSection(const Profile& profile) {
  const WorkloadInfo& workload = profile.workload;
  const ClusterInfo& cluster = profile.cluster;
  FactList facts;
  facts.Add("network", Code(workload.model));
  std::string size = Counted(workload.parameters, "parameter");
  if (workload.layers) size += " in " + Counted(*workload.layers, "layer");
  if (workload.forward_macs)
    size += fmt::format(", {} per sample", Counted(*workload.forward_macs, "multiply-accumulate"));
  facts.Add("size", size);
  facts.Add("gradients", fmt::format("{} in {}, buckets of {}", SizeOfCount(workload.gradient_bytes),
                                     Counted(workload.gradient_tensors, "tensor"), Escaped(workload.bucket)));
  facts.Add("batch",
            fmt::format("{} per device", Counted(workload.batch_per_device, "sample")) +
                (workload.accumulate > 1 ? fmt::format(", {} accumulated", workload.accumulate) : ""));
  facts.AddIf("images", workload.image_size,
              [](std::int64_t pixels) { return fmt::format("{0} × {0} pixels", pixels); });
  facts.AddIf("sequences", workload.sequence_length,
              [](std::int64_t length) { return Counted(length, "token"); });
  facts.Add("training", fmt::format("{}, {}", Escaped(workload.optimizer), Escaped(workload.dtype)));
  facts.Add("devices",
            fmt::format("{} with {}{}: {}, {}", Counted(cluster.nodes, "machine"),
                        Counted(cluster.devices_per_node, "device"), cluster.nodes == 1 ? "" : " each",
                        Escaped(cluster.device), Escaped(cluster.backend)));
  facts.AddIf("emulated link", cluster.emulated_bandwidth_bytes_per_s,
              [](double rate) { return RateText(rate) + " <small>per machine</small>"; });
  facts.AddIf("emulated disk", cluster.emulated_disk_bytes_per_s,
              [](double rate) { return RateText(rate) + " <small>all machines together</small>"; });
  return facts.Html();
}

std::string ProvenanceSection(const Profile& profile) {
  const HostInfo& host = profile.host;
  FactList facts;
  facts.Add("created", Escaped(profile.created));
  facts.Add("by", fmt::format("stallscope {}{}", Escaped(profile.tool.version),
                              profile.tool.torch ? ", libtorch " + Escaped(*profile.tool.torch) : ""));
  facts.Add("command line", Code(ShellText(profile.argv)));
  facts.Add("host", Escaped(host.name));
  facts.AddIf("processor", host.cpu, Escaped);
  facts.AddIf("cores", host.cores, [](int cores) { return Counted(cores, "core"); });
  facts.AddIf("memory", host.memory_bytes, SizeOfCount);
  facts.Add("kernel", Escaped(host.kernel));
  facts.Add("seed", std::to_string(profile.seed));
  facts.Add("rounds", fmt::format("{} kept, {} dropped because other processes disturbed them, {} unverified "
                                  "because their files were not cached as asked",
                                  profile.rounds_kept, profile.rounds_dropped, profile.rounds_unverified));
  facts.Add("warm-up", Counted(profile.warm_up_steps, "step") + " discarded per rank");
  facts.Add("stopped by", Escaped(profile.stopped_by));
  facts.AddIf("failure", profile.failure, Escaped);
  return facts.Html();
}

}  // namespace stallscope
