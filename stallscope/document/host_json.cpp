#include "stallscope/document/host_json.h"

namespace stallscope {

Json HostToJson(const HostInfo& host) {
  Json json = {{"name", host.name}};
  if (host.cpu) json["cpu"] = *host.cpu;
  if (host.cores) json["cores"] = *host.cores;
  if (host.memory_bytes) json["memory_bytes"] = *host.memory_bytes;
  json["kernel"] = host.kernel;
  return json;
}

HostInfo HostFromJson(const JsonFields& fields) {
  HostInfo host;
  host.name = fields.Text("name");
  host.cpu = fields.OptionalText("cpu");
  if (fields.Has("cores")) host.cores = fields.SmallInteger("cores");
  host.memory_bytes = fields.OptionalInteger("memory_bytes");
  host.kernel = fields.Text("kernel");
  return host;
}

}  // namespace stallscope
