#pragma once

#include <functional>
#include <string>

#include "stallscope/document/validation.h"
#include "stallscope/predict/measured_series.h"

namespace stallscope {

/// Says what it is at, for fits that take seconds.
using Say = std::function<void(const std::string&)>;

/// Every row is predicted from the catalog and from the rates that other sources than its own published. With
/// `refit` the parameters, too, are fitted without its source; else they are those that ship.
Validation ValidateAbsolute(const MeasuredTable& table, bool refit, const Say& say);

}  // namespace stallscope
