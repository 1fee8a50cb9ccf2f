#pragma once

#include "stallscope/document/json_fields.h"
#include "stallscope/document/machine_facts.h"

namespace stallscope {

Json CloudToJson(const CloudMachine& cloud);
Json TopologyToJson(const TopologyFacts& topology);
Json GpuToJson(const GpuFacts& gpu);
Json InterfaceToJson(const InterfaceFacts& interface);

/// These throw Error that names the field.
CloudMachine CloudFromJson(const JsonFields& fields);
TopologyFacts TopologyFromJson(const JsonFields& fields);
GpuFacts GpuFromJson(const JsonFields& fields);
InterfaceFacts InterfaceFromJson(const JsonFields& fields);

}  // namespace stallscope
