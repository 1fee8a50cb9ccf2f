#pragma once

#include "stallscope/catalog/catalog.h"
#include "stallscope/document/json_fields.h"

namespace stallscope {

// Facts as documents have them: SI units in the names, rates one way; what is unknown is absent. Each has
// `sources[{where, date}]` and `unverified`, the columns that nobody looked up.
Json ToJson(const Machine& machine, const Catalog& catalog);
Json ToJson(const Gpu& gpu, const Catalog& catalog);
Json ToJson(const DatasetPreset& preset, const Catalog& catalog);
Json ToJson(const AllReduceCurve& curve, const Catalog& catalog);
Json ToJson(const AllReduceThreshold& threshold, const Catalog& catalog);
Json ToJson(const Price& price, const Catalog& catalog);
Json ToJson(const MachineTopology& topology);

/// "no", "credit", "ceiling-unknown"; empty where nothing is known.
std::string BurstWord(NetworkBurst burst);
const char* Word(NodeKind kind);
const char* Word(EdgeKind kind);

}  // namespace stallscope
