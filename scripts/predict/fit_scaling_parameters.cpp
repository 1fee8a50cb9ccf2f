// Fits the scaling model to a table of published rates and writes stallscope/predict/shipped_parameters.cpp:
//   fit_scaling_parameters ../shared/data/measurements/multi_gpu.csv >
//   stallscope/predict/shipped_parameters.cpp
#include <fmt/core.h>

#include <iostream>

#include "stallscope/base/error.h"
#include "stallscope/catalog/catalog.h"
#include "stallscope/predict/scaling_fit.h"

int main(int argc, char** argv) {
  using namespace stallscope;
  if (argc != 2) {
    std::cerr << "usage: fit_scaling_parameters TABLE.csv\n";
    return 2;
  }
  try {
    const MeasuredTable table(ReadMeasurementFile(argv[1]), Catalog::Load(), {});
    const ScalingParameters fit = FitToTable(table);
    fmt::print(
        "// Written by scripts/predict/fit_scaling_parameters.cpp; docs/models.md explains the values.\n"
        "#include \"stallscope/predict/scaling_parameters.h\"\n\nnamespace stallscope {{\n\n"
        "const ScalingParameters& ShippedParameters() {{\n"
        "  // Value and standard error, in fit space.\n"
        "  static const ScalingParameters kShipped = MakeParameters(\n      {{{{\n");
    for (std::size_t i = 0; i < kFittedParameters; ++i) {
      const ParameterFacts& facts = AllParameters()[i];
      fmt::print("          {{{:.6f}, {:.6f}}},  // {}: {:.4g} {}\n", fit.values[i], fit.errors[i],
                 facts.name, ToUnit(facts, fit.values[i]), facts.unit);
    }
    fmt::print(
        "      }}}},\n      /*interval_factor=*/{:.4f}, /*rows=*/{});\n  return kShipped;\n}}\n\n"
        "}}  // namespace stallscope\n",
        fit.interval_factor, fit.rows);
  } catch (const Error& error) {
    std::cerr << "error: " << error.what() << "\n  try: " << error.hint << '\n';
    return 1;
  }
}
