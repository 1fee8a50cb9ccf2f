#include "stallscope/document/machine_card.h"

#include "stallscope/document/host_json.h"
#include "stallscope/document/json_fields.h"
#include "stallscope/document/machine_facts_json.h"
#include "stallscope/document/machine_verdicts_json.h"

namespace stallscope {
namespace {

Json TriadToJson(const TriadRate& rate) {
  return {{"bytes_per_s", ToJson(rate.bytes_per_s)},
          {"best_bytes_per_s", rate.best_bytes_per_s},
          {"array_bytes", rate.array_bytes},
          {"threads", rate.threads}};
}

TriadRate TriadFromJson(const JsonFields& fields) {
  return {.bytes_per_s = fields.Interval("bytes_per_s"),
          .best_bytes_per_s = fields.Number("best_bytes_per_s"),
          .array_bytes = fields.Integer("array_bytes"),
          .threads = fields.SmallInteger("threads")};
}

Json DecodeToJson(const DecodeRates& decode) {
  return {{"image_width", decode.image_width},
          {"image_height", decode.image_height},
          {"image_bytes", decode.image_bytes},
          {"one_core_images_per_s", ToJson(decode.one_core)},
          {"all_cores_images_per_s", ToJson(decode.all_cores)},
          {"cores", decode.cores}};
}

DecodeRates DecodeFromJson(const JsonFields& fields) {
  return {.image_width = fields.SmallInteger("image_width"),
          .image_height = fields.SmallInteger("image_height"),
          .image_bytes = fields.Number("image_bytes"),
          .one_core = fields.Interval("one_core_images_per_s"),
          .all_cores = fields.Interval("all_cores_images_per_s"),
          .cores = fields.SmallInteger("cores")};
}

Json DiskToJson(const DiskRates& disk) {
  Json json = {{"path", disk.path},
               {"storage", disk.storage},
               {"file_bytes", disk.file_bytes},
               {"direct", disk.direct},
               {"cache", disk.cache}};
  if (!disk.cache_reason.empty()) json["cache_reason"] = disk.cache_reason;
  json["reads"] = Json::array();
  for (const DiskReads& reads : disk.reads) {
    json["reads"].push_back({{"pattern", reads.pattern},
                             {"request_bytes", reads.request_bytes},
                             {"depth", reads.depth},
                             {"bytes_per_s", ToJson(reads.bytes_per_s)},
                             {"latency_s", ToJson(reads.latency_s)}});
  }
  return json;
}

DiskRates DiskFromJson(const JsonFields& fields) {
  DiskRates disk{.path = fields.Text("path"),
                 .storage = fields.Text("storage"),
                 .file_bytes = fields.Integer("file_bytes"),
                 .direct = fields.Truth("direct"),
                 .cache = fields.Text("cache"),
                 .cache_reason = fields.OptionalText("cache_reason").value_or("")};
  for (const JsonFields& reads : fields.Objects("reads")) {
    disk.reads.push_back({.pattern = reads.Text("pattern"),
                          .request_bytes = reads.Integer("request_bytes"),
                          .depth = reads.SmallInteger("depth"),
                          .bytes_per_s = reads.Interval("bytes_per_s"),
                          .latency_s = reads.Interval("latency_s")});
  }
  return disk;
}

template <typename Item, typename Write>
Json ListOf(const std::vector<Item>& items, const Write& write) {
  Json list = Json::array();
  for (const Item& item : items) list.push_back(write(item));
  return list;
}

}  // namespace

std::string ToJson(const MachineCard& card) {
  Json json = {{"schema", kMachineSchema}, {"tool", {{"version", card.tool.version}}}};
  if (card.tool.torch) json["tool"]["torch"] = *card.tool.torch;
  json["created"] = card.created;
  json["argv"] = card.argv;
  json["host"] = HostToJson(card.host);
  json["seed"] = card.seed;
  if (card.cloud) json["cloud"] = CloudToJson(*card.cloud);
  json["topology"] = TopologyToJson(card.topology);
  json["gpus"] = ListOf(card.gpus, GpuToJson);
  json["interfaces"] = ListOf(card.interfaces, InterfaceToJson);
  json["rounds"] = card.rounds;
  json["disturbed_blocks"] = card.disturbed_blocks;
  json["stopped_by"] = card.stopped_by;
  if (card.steal_share) json["steal_share"] = *card.steal_share;
  if (card.decode) json["decode"] = DecodeToJson(*card.decode);
  if (card.memory) {
    json["memory"] = {{"triad_one_core", TriadToJson(card.memory->one_core)},
                      {"triad_all_cores", TriadToJson(card.memory->all_cores)}};
  }
  if (card.disk) json["disk"] = DiskToJson(*card.disk);
  json["collectives"] = ListOf(card.collectives, [](const CollectiveCurve& curve) { return ToJson(curve); });
  json["absent"] = ListOf(card.absent, [](const AbsentPart& absent) {
    return Json{{"part", absent.part}, {"reason", absent.reason}};
  });
  if (card.watch) json["watch"] = WatchToJson(*card.watch);
  if (card.expectation) json["expectation"] = ExpectationToJson(*card.expectation);
  RequireFinite(json, "");
  return json.dump(2) + "\n";
}

MachineCard MachineCardFromJson(const std::string& text, const std::string& source) {
  const Json document = ParseDocument(text, source);
  RequireSchema(document, kMachineSchema, source);
  const JsonFields fields(document, source);
  MachineCard card;
  card.tool.version = fields.Object("tool").Text("version");
  card.tool.torch = fields.Object("tool").OptionalText("torch");
  card.created = fields.Text("created");
  card.argv = fields.Texts("argv");
  card.host = HostFromJson(fields.Object("host"));
  card.seed = fields.Unsigned("seed");
  if (const auto cloud = fields.OptionalObject("cloud")) card.cloud = CloudFromJson(*cloud);
  card.topology = TopologyFromJson(fields.Object("topology"));
  for (const JsonFields& gpu : fields.Objects("gpus")) card.gpus.push_back(GpuFromJson(gpu));
  for (const JsonFields& one : fields.Objects("interfaces"))
    card.interfaces.push_back(InterfaceFromJson(one));
  card.rounds = fields.SmallInteger("rounds");
  card.disturbed_blocks = fields.SmallInteger("disturbed_blocks");
  card.stopped_by = fields.Text("stopped_by");
  card.steal_share = fields.OptionalNumber("steal_share");
  if (const auto decode = fields.OptionalObject("decode")) card.decode = DecodeFromJson(*decode);
  if (const auto memory = fields.OptionalObject("memory")) {
    card.memory = MemoryRates{.one_core = TriadFromJson(memory->Object("triad_one_core")),
                              .all_cores = TriadFromJson(memory->Object("triad_all_cores"))};
  }
  if (const auto disk = fields.OptionalObject("disk")) card.disk = DiskFromJson(*disk);
  for (const JsonFields& curve : fields.Objects("collectives")) {
    card.collectives.push_back(CollectiveCurveFromJson(curve));
  }
  for (const JsonFields& absent : fields.Objects("absent")) {
    card.absent.push_back({.part = absent.Text("part"), .reason = absent.Text("reason")});
  }
  if (const auto watch = fields.OptionalObject("watch")) card.watch = WatchFromJson(*watch);
  if (const auto expected = fields.OptionalObject("expectation")) {
    card.expectation = ExpectationFromJson(*expected);
  }
  return card;
}

}  // namespace stallscope
