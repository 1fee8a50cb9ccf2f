#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stallscope/document/validation.h"

namespace stallscope {

using RowChoice = std::function<bool(const ValidatedRow&)>;

/// Of the predicted rows that `choice` takes; nothing where there is none.
std::optional<ErrorMeasures> MeasureErrors(const std::vector<ValidatedRow>& rows, const RowChoice& choice);

/// The chosen rows by what `name_of` says of them, in the order of their names.
std::vector<ErrorGroup> GroupErrors(const std::vector<ValidatedRow>& rows, const std::string& by,
                                    const std::function<std::string(const ValidatedRow&)>& name_of,
                                    const RowChoice& choice);

/// Fills measures, groups, worst rows and counts of a validation from its rows.
void Summarize(Validation& validation);

/// Whose gradients the devices reduce themselves.
bool IsAllReduce(const ValidatedRow& row);

}  // namespace stallscope
