#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "stallscope/catalog/tables.h"

namespace stallscope {
namespace {

constexpr double kGiga = 1e9;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

std::optional<FlopsPerSecond> Teraflops(const CsvRow& row, const char* column) {
  const auto value = row.Number(column);
  return value ? std::optional(FlopsPerSecond{*value * 1e12}) : std::nullopt;
}

std::optional<Bytes> Size(const CsvRow& row, const char* column, double unit) {
  const auto value = row.Number(column);
  return value ? std::optional(Bytes{*value * unit}) : std::nullopt;
}

std::optional<BytesPerSecond> Rate(const CsvRow& row, const char* column, double unit) {
  const auto value = row.Number(column);
  return value ? std::optional(BytesPerSecond{*value * unit}) : std::nullopt;
}

NetworkBurst BurstOf(const CsvRow& row) {
  const std::string text = row.Text("network_burst");
  if (text.empty()) return NetworkBurst::kUnknown;
  if (text == "no") return NetworkBurst::kNone;
  if (text == "credit") return NetworkBurst::kCredit;
  if (text == "ceiling-unknown") return NetworkBurst::kCeilingUnknown;
  row.Fail("network_burst", fmt::format("is '{}', none of no, credit, ceiling-unknown", text));
}

std::optional<Fabric> FabricOf(const CsvRow& row) {
  const std::string kind = row.Text("fabric");
  if (kind.empty()) return std::nullopt;
  return Fabric{.kind = kind,
                .nics = row.Integer("fabric_nics", 1),
                .rate = Rate(row, "fabric_gbps", kGiga / 8),
                .gpudirect = row.Truth("gpudirect")};
}

}  // namespace

bool IsDate(const std::string& text) {
  if (text.size() != 7 && text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : (text[i] < '0' || text[i] > '9')) return false;
  }
  const auto part = [&](std::size_t at, std::size_t length) { return std::stoi(text.substr(at, length)); };
  const int day = text.size() == 10 ? part(8, 2) : 1;
  return std::chrono::year_month_day(std::chrono::year(part(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

Provenance ReadProvenance(const CsvRow& row) {
  return {.file = row.source(),
          .line = row.line(),
          .sources = row.List("source"),
          .unverified = row.List("unverified"),
          .note = row.Text("note")};
}

Source ReadSource(const CsvRow& row) {
  return {.name = row.RequiredText("source"), .where = row.RequiredText("where"), .date = row.Text("date")};
}

Gpu ReadGpu(const CsvRow& row) {
  return {.name = row.RequiredText("gpu"),
          .fp32 = Teraflops(row, "fp32_tflops"),
          .fp32_sustained = Teraflops(row, "fp32_sustained_tflops"),
          .tf32 = Teraflops(row, "tf32_tflops"),
          .fp16 = Teraflops(row, "fp16_tflops"),
          .bf16 = Teraflops(row, "bf16_tflops"),
          .bf16_measured = Teraflops(row, "bf16_measured_tflops"),
          .memory = Size(row, "memory_gb", kGiga),
          .memory_bandwidth = Rate(row, "memory_gbs", kGiga),
          .pcie_generation = row.Integer("pcie_generation", 1),
          .nvlink = row.Text("nvlink"),
          .nvlink_one_way = Rate(row, "nvlink_one_way_gbs", kGiga),
          .year = row.Integer("year", 2000),
          .provenance = ReadProvenance(row)};
}

Machine ReadMachine(const CsvRow& row) {
  Machine machine{.provider = row.RequiredText("provider"),
                  .name = row.RequiredText("machine"),
                  .gpu = row.RequiredText("gpu"),
                  .gpu_listed = row.Text("gpu_listed"),
                  .gpus = row.RequiredNumber("gpus"),
                  .gpu_memory = Size(row, "gpu_memory_gb", kGiga),
                  .vcpus = row.Integer("vcpus", 1),
                  .memory = Size(row, "memory_gib", kGibi),
                  .network_ceiling = Rate(row, "network_gbps", kGiga / 8),
                  .network_baseline = Rate(row, "network_baseline_gbps", kGiga / 8),
                  .burst = BurstOf(row),
                  .fabric = FabricOf(row),
                  .local_disk = Size(row, "local_disk_gb", kGiga),
                  .disk_ceiling = Rate(row, "disk_mbs", 1e6),
                  .disk_baseline = Rate(row, "disk_baseline_mbs", 1e6),
                  .interconnect = row.Text("interconnect"),
                  .interconnect_one_way = Rate(row, "interconnect_one_way_gbs", kGiga),
                  .pcie_generation = row.Integer("pcie_generation", 1),
                  .pcie_width = row.Integer("pcie_width", 1),
                  .numa_nodes = row.Integer("numa_nodes", 1),
                  .topology = row.Text("topology"),
                  .availability = row.Text("availability"),
                  .last_listed = row.Text("last_listed"),
                  .provenance = ReadProvenance(row)};
  if (machine.gpus <= 0) row.Fail("gpus", "is 0, and a machine of the catalog has at least part of one");
  if (machine.gpu_listed.empty()) machine.gpu_listed = machine.gpu;
  return machine;
}

Price ReadPrice(const CsvRow& row) {
  Price price{.provider = row.RequiredText("provider"),
              .machine = row.RequiredText("machine"),
              .region = row.RequiredText("region"),
              .on_demand_usd_hour = row.Number("on_demand_usd_hour"),
              .spot_usd_hour = row.Number("spot_usd_hour"),
              .date = row.RequiredText("date"),
              .date_is_latest = row.Truth("date_is_latest").value_or(false),
              .provenance = ReadProvenance(row)};
  if (!IsDate(price.date))
    row.Fail("date", fmt::format("is '{}'; write it as 2026-08-22 or 2026-08", price.date));
  for (const char* column : {"on_demand_usd_hour", "spot_usd_hour"}) {
    if (row.Number(column) == 0.0) row.Fail(column, "is 0; leave it blank where no price is known");
  }
  if (!price.on_demand_usd_hour && !price.spot_usd_hour)
    row.Fail("on_demand_usd_hour", "and spot are both blank");
  return price;
}

DatasetPreset ReadDataset(const CsvRow& row) {
  DatasetPreset preset{.name = row.RequiredText("dataset"),
                       .kind = row.RequiredText("kind"),
                       .samples = static_cast<std::int64_t>(row.RequiredNumber("samples", 1)),
                       .classes = row.Integer("classes", 1),
                       .provenance = ReadProvenance(row)};
  if (const auto tokens = row.Number("tokens", 1)) preset.tokens = static_cast<std::int64_t>(*tokens);
  // Either follows from the other.
  const auto bytes = row.Number("bytes", 1);
  const auto each = row.Number("sample_bytes", 1);
  if (!bytes && !each) row.Fail("bytes", "and sample_bytes are both blank");
  const auto samples = static_cast<double>(preset.samples);
  preset.bytes.value = bytes ? *bytes : *each * samples;
  preset.sample_bytes.value = each ? *each : *bytes / samples;
  return preset;
}

AllReduceThreshold ReadThreshold(const CsvRow& row) {
  return {.machine = row.RequiredText("threshold"),
          .gpus = row.RequiredInteger("gpus", 1),
          .nodes = row.RequiredInteger("nodes", 1),
          .transport = row.Text("transport"),
          .kind = row.RequiredText("kind"),
          .bytes = Size(row, "bytes", 1),
          .bus_bandwidth = {row.RequiredNumber("busbw_gbs") * kGiga},
          .provenance = ReadProvenance(row)};
}

void ReadCurveRow(const CsvRow& row, std::vector<AllReduceCurve>& curves) {
  const CurveSegment segment{.from = {row.RequiredNumber("from_bytes", 1)},
                             .to = {row.RequiredNumber("to_bytes", 1)},
                             .intercept = [&]() -> std::optional<Seconds> {
                               // A curve that turns steeper has a line that begins below zero.
                               const auto us = row.Number("intercept_us", -1e12);
                               return us ? std::optional(Seconds(*us * 1e-6)) : std::nullopt;
                             }(),
                             .bus_bandwidth = Rate(row, "busbw_gbs", kGiga),
                             .low = Rate(row, "busbw_low_gbs", kGiga),
                             .high = Rate(row, "busbw_high_gbs", kGiga)};
  if (segment.to.value < segment.from.value) row.Fail("to_bytes", "is less than from_bytes");
  if (!segment.intercept && !segment.bus_bandwidth) row.Fail("busbw_gbs", "and intercept_us are both blank");
  if (segment.bus_bandwidth && segment.bus_bandwidth->value <= 0) row.Fail("busbw_gbs", "is 0");
  const std::string name = row.RequiredText("curve");
  if (!curves.empty() && curves.back().name == name && curves.back().provenance.file == row.source()) {
    if (segment.from.value != curves.back().segments.back().to.value)
      row.Fail("from_bytes", "is not where the segment before it ends");
    curves.back().segments.push_back(segment);
    return;
  }
  AllReduceCurve curve{.name = name,
                       .system = row.RequiredText("system"),
                       .machine = row.Text("machine"),
                       .gpu = row.Text("gpu"),
                       .gpus = row.RequiredInteger("gpus", 2),
                       .nodes = row.RequiredInteger("nodes", 1),
                       .collective = row.RequiredText("collective"),
                       .transport = row.RequiredText("transport"),
                       .transport_listed = row.Text("transport_listed"),
                       .segments = {segment},
                       .fit_error = row.Number("fit_error"),
                       .points = row.Integer("points", 1).value_or(1),
                       .provenance = ReadProvenance(row)};
  if (const auto latency = row.Number("latency_us")) {
    curve.latency_s = Estimate{*latency * 1e-6, row.Number("latency_low_us").value_or(*latency) * 1e-6,
                               row.Number("latency_high_us").value_or(*latency) * 1e-6};
  }
  curves.push_back(std::move(curve));
}

}  // namespace stallscope
