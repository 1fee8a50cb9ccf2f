#include "stallscope/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "stallscope/report/amounts.h"

namespace stallscope {
namespace {

bool IsEstimate(const Json& field) {
  return field.is_object() && field.contains("mean") && field.contains("low") && field.contains("high");
}

/// "steady state, cached share" of "steady_state.cached_share": the cell beside it has the unit.
std::string Spoken(std::string path) {
  for (const std::string_view ending : {"_per_s", "_s", "_usd"}) {
    if (!path.ends_with(ending) || path.ends_with("bytes_per_s")) continue;
    path.resize(path.size() - ending.size());
    break;
  }
  std::string spoken;
  for (const char c : path) spoken += c == '_' ? " " : c == '.' ? ", " : std::string(1, c);
  return spoken;
}

/// Every leaf below a field, with its whole path: an estimate is a leaf, and so is an array of words.
void AddFacts(const Json& field, const std::string& path, const std::string& basis, ReportTable& table) {
  const auto words = [](const Json& item) { return item.is_string() || item.is_number(); };
  if (field.is_object() && !IsEstimate(field)) {
    for (const auto& [key, inner] : field.items()) AddFacts(inner, path + "." + key, basis, table);
    return;
  }
  if (field.is_array() && !std::all_of(field.begin(), field.end(), words)) {
    for (std::size_t i = 0; i < field.size(); ++i) {
      AddFacts(field[i], fmt::format("{}[{}]", path, i), basis, table);
    }
    return;
  }
  const std::size_t name = path.find_last_of('.');
  table.rows.push_back({WordsCell(Spoken(path)),
                        FieldCell(&field, name == std::string::npos ? path : path.substr(name + 1), basis)});
}

std::string JoinedWords(const Json& array) {
  std::string text;
  for (const Json& item : array) {
    text += (text.empty() ? "" : " ") + (item.is_string() ? item.get<std::string>() : item.dump());
  }
  return text;
}

}  // namespace

const Json* FieldAt(const Json& object, const std::string& path) {
  const Json* at = &object;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(path.substr(begin, end - begin));
    if (found == at->end()) return nullptr;
    at = &*found;
    begin = end + 1;
  }
  return at;
}

TableCell WordsCell(const std::string& text) {
  return {.text = text};
}

TableCell FieldCell(const Json* field, const std::string& name, const std::string& basis) {
  return AmountCell(field, UnitOf(name), basis);
}

TableCell AmountCell(const Json* field, const std::string& unit, const std::string& basis) {
  if (!field || field->is_null()) return {};
  if (field->is_string()) return WordsCell(*field);
  if (field->is_boolean()) return WordsCell(field->get<bool>() ? "yes" : "no");
  if (field->is_array()) return WordsCell(JoinedWords(*field));
  if (field->is_number()) {
    const auto value = field->get<double>();
    // Counts rest on nothing.
    return {.text = AmountText(value, unit),
            .value = value,
            .unit = unit,
            .basis = unit.empty() && value == std::floor(value) ? "" : basis};
  }
  if (!IsEstimate(*field)) return WordsCell(field->dump());
  const auto number = [&](const char* key) { return (*field)[key].get<double>(); };
  const Estimate estimate{number("mean"), number("low"), number("high")};
  return {.text = EstimateText(estimate, unit),
          .value = estimate.mean,
          .low = estimate.low,
          .high = estimate.high,
          .unit = unit,
          .basis = basis};
}

ReportTable ArrayTable(std::string id, std::string title, const Json* array,
                       const std::vector<FieldColumn>& columns, const std::string& basis) {
  ReportTable table{.id = std::move(id), .title = std::move(title)};
  if (!array || !array->is_array()) return table;
  std::vector<FieldColumn> shown;
  for (const FieldColumn& column : columns) {
    const auto has = [&](const Json& item) { return FieldAt(item, column.path) != nullptr; };
    if (std::any_of(array->begin(), array->end(), has)) shown.push_back(column);
  }
  for (const FieldColumn& column : shown) table.columns.push_back(column.title);
  for (const Json& item : *array) {
    std::vector<TableCell>& row = table.rows.emplace_back();
    const std::string of_row = basis == kOwnBasis && item.is_object() ? item.value("basis", "") : basis;
    for (const FieldColumn& column : shown) {
      const Json* unit = FieldAt(item, column.unit_from);
      row.push_back(AmountCell(FieldAt(item, column.path),
                               unit ? unit->get<std::string>() : UnitOf(column.path),
                               column.basis.empty() ? of_row : column.basis));
    }
  }
  return table;
}

ReportTable FactsTable(std::string id, std::string title, const Json& document,
                       const std::vector<std::string>& fields, const std::string& basis) {
  ReportTable table{.id = std::move(id), .title = std::move(title), .columns = {"field", "value"}};
  for (const std::string& field : fields) {
    if (const Json* found = FieldAt(document, field)) AddFacts(*found, field, basis, table);
  }
  return table;
}

void AddTable(std::vector<ReportTable>& tables, ReportTable table) {
  if (!table.rows.empty()) tables.push_back(std::move(table));
}

std::vector<ReportTable> TablesOf(const Json& document) {
  using Maker = std::vector<ReportTable> (*)(const Json&);
  static constexpr std::array<std::pair<std::string_view, Maker>, 8> kMakers = {{
      {"stallscope.profile/1", ProfileTables},
      {"stallscope.comparison/1", ComparisonTables},
      {"stallscope.machine/1", MachineTables},
      {"stallscope.validation/1", ValidationTables},
      {"stallscope.prediction/1", PredictionTables},
      {"stallscope.recommendation/1", RecommendationTables},
      {"stallscope.survey/1", SurveyTables},
      {"stallscope.law/1", LawTables},
  }};
  const std::string schema = document.value("schema", "");
  for (const auto& [name, make] : kMakers) {
    if (name == schema) return make(document);
  }
  std::vector<std::string> fields;
  for (const auto& [key, value] : document.items()) fields.push_back(key);
  std::vector<ReportTable> tables;
  AddTable(tables, FactsTable("facts", "All fields", document, fields, ""));
  return tables;
}

}  // namespace stallscope
