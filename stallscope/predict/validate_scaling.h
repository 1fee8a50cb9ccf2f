#pragma once

#include <string>
#include <vector>

#include "stallscope/document/validation.h"
#include "stallscope/predict/measured_series.h"
#include "stallscope/predict/scaling_fit.h"

namespace stallscope {

/// The smallest row of every series is given, the others are predicted from it with `parameters`.
Validation ValidateScaling(const MeasuredTable& table, const ScalingParameters& parameters);

/// Every series is predicted with parameters that were fitted without its source.
Validation CrossValidateScaling(const MeasuredTable& table);

/// The parameters of the scaling model as documents have them.
FittedSet DescribeParameters(const ScalingParameters& parameters, const std::string& left_out);

/// A row as far as the table describes it; nothing is predicted yet.
ValidatedRow DescribeRow(const MeasuredCase& measured);

}  // namespace stallscope
