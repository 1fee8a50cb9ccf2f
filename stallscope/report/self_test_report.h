#pragma once

#include <ostream>

#include "stallscope/document/json_fields.h"
#include "stallscope/ladder/accuracy.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// A table of every stall of every injection: expected, measured, missed by; with the arithmetic.
void PrintSelfTest(const SelfTestResult& result, const TextStyle& style, std::ostream& out);

/// The fields of stallscope.self-test/1 after the header that all documents share.
Json SelfTestToJson(const SelfTestResult& result);

}  // namespace stallscope
