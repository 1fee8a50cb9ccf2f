#pragma once

#include <string>

#include "stallscope/document/json_fields.h"

namespace stallscope {

/// "resnet18 on 2 emulated machines with 1 device each": what a document is about.
std::string TitleOf(const Json& document);

/// What it says, in a sentence or two; empty where a kind has no such sentence. `source` is the file.
std::string VerdictOf(const Json& document, const std::string& source);

}  // namespace stallscope
