#pragma once

#include <cstdint>

#include "stallscope/document/law.h"
#include "stallscope/law/sweep_journal.h"
#include "stallscope/predict/exchange_law.h"

namespace stallscope {

struct LawOptions {
  std::uint64_t seed = 1;
  int resamples = 200;
  /// Networks with fewer parameters fit the law that is tried on the others.
  std::int64_t small_parameters = 30'000'000;
};

/// Fits the law and the macroscopic form to a sweep, leaves out every network in turn, and puts into words
/// what follows. Who made it and when is the caller's. Throws Error where the sweep has too little.
Law MakeLaw(const Sweep& sweep, const LawOptions& options = {});

/// The coefficients of a document, for predictions. Throws Error where one is missing.
ExchangeLaw ExchangeLawOf(const Law& law);

}  // namespace stallscope
