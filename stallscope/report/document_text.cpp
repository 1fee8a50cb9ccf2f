#include "stallscope/report/document_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "stallscope/document/law.h"
#include "stallscope/document/machine_card.h"
#include "stallscope/document/prediction.h"
#include "stallscope/report/console.h"
#include "stallscope/report/law_console.h"
#include "stallscope/report/machine_console.h"
#include "stallscope/report/prediction_console.h"

namespace stallscope {
namespace {

constexpr std::size_t kLongestTable = 25;
constexpr int kWidestColumn = 36;

void PrintTable(const ReportTable& table, std::ostream& out) {
  const std::size_t rows = std::min(table.rows.size(), kLongestTable);
  std::vector<int> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    int width = ColumnsOf(table.columns[i]);
    for (std::size_t row = 0; row < rows; ++row) width = std::max(width, ColumnsOf(table.rows[row][i].text));
    widths.push_back(std::min(width, kWidestColumn));
  }
  const auto print = [&](const auto& text_of) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      // The last column may be as long as it likes: nothing stands behind it.
      const bool last = i + 1 == widths.size();
      const std::string text = text_of(i);
      line += last ? text : PadRight(Shorten(text, widths[i]), widths[i] + 2);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << "  " << line << '\n';
  };
  out << '\n' << table.title << '\n';
  print([&](std::size_t i) { return table.columns[i]; });
  for (std::size_t row = 0; row < rows; ++row) {
    print([&](std::size_t i) { return table.rows[row][i].text; });
  }
  if (table.rows.size() > rows) {
    out << fmt::format("  … and {} more rows: --csv, --markdown and --html have them all\n",
                       table.rows.size() - rows);
  }
}

}  // namespace

void PrintDocument(const ReportDocument& document, const TextStyle& style, std::ostream& out) {
  if (document.kind == "profile") {
    PrintProfile(ProfileFromJson(document.json.dump(), document.source), style, out);
    return;
  }
  if (document.kind == "machine") {
    PrintMachine(MachineCardFromJson(document.json.dump(), document.source), style, out);
    return;
  }
  if (document.kind == "law") {
    PrintLaw(LawFromJson(document.json.dump(), document.source), style, out);
    return;
  }
  if (document.kind == "prediction") {
    PrintPrediction(PredictionFromJson(document.json.dump(), document.source), style, out);
    return;
  }
  out << fmt::format("{}: {}\n", document.kind, document.title);
  if (!document.verdict.empty()) out << '\n' << Wrap(document.verdict, style.width, 0) << '\n';
  for (const ReportTable& table : document.tables) PrintTable(table, out);
}

}  // namespace stallscope
