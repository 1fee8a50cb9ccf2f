#pragma once

#include <ostream>

#include "stallscope/document/survey.h"
#include "stallscope/report/style.h"

namespace stallscope {

/// A table for every network, then what each machine is good and bad at.
void PrintSurvey(const Survey& survey, const TextStyle& style, std::ostream& out);

/// Every cell, one line each; empty where a value does not apply.
void WriteSurveyCsv(const Survey& survey, std::ostream& out);

/// The same tables and lists for tickets and wikis.
void WriteSurveyMarkdown(const Survey& survey, std::ostream& out);

}  // namespace stallscope
