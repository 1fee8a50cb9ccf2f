#include "tests/fuzz/targets.h"

#include <algorithm>
#include <array>

#include "stallscope/base/error.h"
#include "stallscope/input/bad_sample.h"

namespace stallscope {
namespace {

constexpr std::array kTargets = {
    FuzzTarget{"document", ParseAnyDocument},
    FuzzTarget{"card", ParseCard},
    FuzzTarget{"journal", ParseJournal},
    FuzzTarget{"catalog", ParseCatalog},
    FuzzTarget{"prices", ParsePrices},
    FuzzTarget{"measurements", ParseMeasurements},
    FuzzTarget{"steps", ParseSteps},
    FuzzTarget{"machine", ParseMachineFiles},
    FuzzTarget{"jpeg", ParseJpeg},
    FuzzTarget{"tokens", ParseTokens},
    FuzzTarget{"words", ParseWords},
    FuzzTarget{"records", ParseRecords},
    FuzzTarget{"meeting", ParseMeeting},
};

}  // namespace

std::span<const FuzzTarget> FuzzTargets() {
  return kTargets;
}

const FuzzTarget* FindFuzzTarget(std::string_view name) {
  const auto* const found =
      std::find_if(kTargets.begin(), kTargets.end(), [&](const FuzzTarget& t) { return t.name == name; });
  return found == kTargets.end() ? nullptr : found;
}

void Parse(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.parse(bytes);
  } catch (const Error&) {  // a sentence, as it should be
  } catch (const BadSample&) {
  }
}

}  // namespace stallscope
