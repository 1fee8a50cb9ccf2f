#include "app/commands/catalog_text.h"

#include <fmt/format.h>

namespace stallscope {

std::string MoneyText(const std::optional<double>& usd) {
  return usd ? fmt::format("{:.{}f}", *usd, *usd < 1 ? 4 : 2) : std::string("-");
}

std::string CurveText(const AllReduceCurve& curve) {
  const Estimate bandwidth = LargestMessageBandwidth(curve);
  std::string text = fmt::format("{} GPUs on {} node{}, {}: {:.4g} GB/s", curve.gpus, curve.nodes,
                                 curve.nodes == 1 ? "" : "s", curve.transport, bandwidth.mean / 1e9);
  if (bandwidth.low < bandwidth.high)
    text += fmt::format(" [{:.4g}, {:.4g}]", bandwidth.low / 1e9, bandwidth.high / 1e9);
  if (curve.collective != "all_reduce") text += fmt::format(" ({})", curve.collective);
  if (curve.latency_s) text += fmt::format(", latency {}", FormatSeconds(curve.latency_s->mean));
  text += curve.points == 1 ? ", 1 point" : fmt::format(", {} points", curve.points);
  if (curve.fit_error) text += fmt::format(", fitted to {:.1f} %", 100 * *curve.fit_error);
  return text;
}

std::string ProvenanceText(const Provenance& from, const Catalog& catalog) {
  std::string text;
  for (const std::string& name : from.sources) {
    const Source* source = catalog.SourceOrNull(name);
    text += fmt::format("  source       {}{}\n", source != nullptr ? source->where : name,
                        source != nullptr && !source->date.empty() ? fmt::format(" [{}]", source->date) : "");
  }
  if (!from.unverified.empty()) {
    std::string columns;
    for (const std::string& column : from.unverified) columns += (columns.empty() ? "" : ", ") + column;
    text += fmt::format("  unverified   {} (inferred, or from memory)\n", columns);
  }
  if (!from.note.empty()) text += fmt::format("  note         {}\n", from.note);
  return text;
}

}  // namespace stallscope
