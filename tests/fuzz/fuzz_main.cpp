// The libFuzzer program of all targets: STALLSCOPE_FUZZ_TARGET names the one (tests/fuzz/run.sh sets it).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace stallscope {
namespace {

using Json = nlohmann::ordered_json;

const FuzzTarget* chosen = nullptr;

/// What documents are not written with.
Json HostileValue(std::mt19937& random) {
  static const Json kValues =
      Json::parse(R"([null, true, -1, 0, 1, 1e308, -1e308, 1e-320, 0.1, 2147483648, -2147483649,
      18446744073709551615, -9223372036854775808, "", "\u0000", "\u001b[31m", "NaN", "../../x", [], {}, [[[[]]]],
      {"mean": 0, "low": 1, "high": -1}, {"mean": 1, "low": 1, "high": 1}])");
  return kValues[random() % kValues.size()];
}

void MutateInside(Json& value, std::mt19937& random) {
  if (!value.is_structured() || value.empty() || random() % 8 == 0) {
    value = HostileValue(random);
    return;
  }
  auto child = value.begin();
  std::advance(child, static_cast<std::ptrdiff_t>(random() % value.size()));
  const auto choice = random() % 16;
  if (choice == 0) {
    value.erase(child);
  } else if (choice == 1 && value.is_array()) {
    value.push_back(Json(*child));
  } else {
    MutateInside(*child, random);
  }
}

/// Empty where the bytes are no JSON.
std::string MutatedJson(const std::uint8_t* data, std::size_t size, std::mt19937& random) {
  Json json = Json::parse(data, data + size, nullptr, false);
  if (!json.is_structured()) return "";
  MutateInside(json, random);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace
}  // namespace stallscope

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("STALLSCOPE_FUZZ_TARGET");
  stallscope::chosen = name == nullptr ? nullptr : stallscope::FindFuzzTarget(name);
  if (stallscope::chosen != nullptr) return 0;
  std::fputs("STALLSCOPE_FUZZ_TARGET must be one of:", stderr);
  for (const auto& target : stallscope::FuzzTargets()) std::fprintf(stderr, " %s", target.name.data());
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stallscope::Parse(*stallscope::chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}

/// Bytes turned over at random seldom leave a document one: half of the changes are made inside of it.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  std::mt19937 random(seed);
  if (random() % 2 == 0) {
    const std::string changed = stallscope::MutatedJson(data, size, random);
    if (!changed.empty() && changed.size() <= max_size) {
      std::memcpy(data, changed.data(), changed.size());
      return changed.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
