#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/law.h"
#include "stallscope/document/machine_card.h"
#include "stallscope/document/prediction.h"
#include "stallscope/document/profile.h"
#include "stallscope/ladder/round_journal.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/report/document_text.h"
#include "stallscope/report/report_document.h"
#include "stallscope/report/tables_csv.h"
#include "stallscope/report/tables_markdown.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace stallscope {

void ParseAnyDocument(std::string_view bytes) {
  const std::string text(bytes);
  const ReportDocument document = ReadReportDocument(text, "fuzz.json");
  std::ostringstream out;
  PrintDocument(document, TextStyle{}, out);
  WriteTablesCsv({document}, out);
  WriteMarkdown({document}, out);
  if (document.kind == "prediction") PredictionFromJson(text, "fuzz.json");
  if (document.kind == "law") LawFromJson(text, "fuzz.json");
}

void ParseCard(std::string_view bytes) {
  const MachineCard card = MachineCardFromJson(std::string(bytes), "card.json");
  // What was read can be written and read again.
  MachineCardFromJson(ToJson(card), "again.json");
}

void ParseJournal(std::string_view bytes) {
  static const ScratchFile rounds(kJournalFile);
  static const ScratchFile sweep(kSweepFile);
  rounds.Write(bytes);
  sweep.Write(bytes);
  try {
    ReadSweep(sweep.path());
  } catch (const Error&) {  // it may be the other journal
  }
  ReadJournal(rounds.path().parent_path(), Json::object());
}

}  // namespace stallscope
