#pragma once

#include <filesystem>
#include <ostream>

#include "stallscope/report/report_document.h"

namespace stallscope {

/// A run's raw files as a trace in Chrome's JSON format, which ui.perfetto.dev and chrome://tracing open
/// (docs/formats.md): a track for each rank's steps, loader and buckets, and counters of each machine. Slices
/// of one track nest or do not touch. Machines' clocks are laid on each other as ClockOffsets has it.
/// Written as it is read: a trace may be larger than memory. Throws Error where the document is no profile,
/// or where its folder has no steps.csv.
void WriteTrace(const ReportDocument& document, const std::filesystem::path& folder, std::ostream& out);

}  // namespace stallscope
