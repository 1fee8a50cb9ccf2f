#include "app/document_header.h"

#include "stallscope/base/clock.h"
#include "stallscope/document/host_json.h"
#include "stallscope/machine/host.h"

namespace stallscope {

Json DocumentHeader(const std::string& schema, const std::vector<std::string>& argv, std::uint64_t seed) {
  return {{"schema", schema}, {"tool", {{"version", STALLSCOPE_VERSION}}}, {"created", UtcNow()},
          {"argv", argv},     {"host", HostToJson(ReadHost({}))},          {"seed", seed}};
}

}  // namespace stallscope
