#include "stallscope/predict/gpu_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stallscope/base/error.h"

namespace stallscope {
namespace {

struct ArchitectureName {
  std::string_view prefix;
  const char* architecture;
};

/// Longer prefixes before their beginnings.
constexpr std::array kArchitectures = {
    ArchitectureName{"K80", "kepler"},
    ArchitectureName{"M60", "maxwell"},
    ArchitectureName{"P100", "pascal"},
    ArchitectureName{"P40", "pascal"},
    ArchitectureName{"P4", "pascal"},
    ArchitectureName{"V100", "volta"},
    ArchitectureName{"T4", "turing"},
    ArchitectureName{"RTX-20", "turing"},
    ArchitectureName{"RTX-6000-Ada", "ada"},
    ArchitectureName{"RTX-6000", "turing"},
    ArchitectureName{"RTX-8000", "turing"},
    ArchitectureName{"RTX-30", "ampere"},
    ArchitectureName{"RTX-A", "ampere"},
    ArchitectureName{"A10", "ampere"},
    ArchitectureName{"A40", "ampere"},
    ArchitectureName{"A30", "ampere"},
    ArchitectureName{"A2", "ampere"},
    ArchitectureName{"A16", "ampere"},
    ArchitectureName{"RTX-40", "ada"},
    ArchitectureName{"L40", "ada"},
    ArchitectureName{"L4", "ada"},
    ArchitectureName{"H100", "hopper"},
    ArchitectureName{"H200", "hopper"},
    ArchitectureName{"H800", "hopper"},
    ArchitectureName{"GH200", "hopper"},
    ArchitectureName{"B200", "blackwell"},
    ArchitectureName{"B300", "blackwell"},
    ArchitectureName{"GB200", "blackwell"},
    ArchitectureName{"GB300", "blackwell"},
    ArchitectureName{"RTX-50", "blackwell"},
    ArchitectureName{"RTX-PRO", "blackwell"},
    ArchitectureName{"MI300", "cdna3"},
};

/// Large matrix products reach 0.78 to 0.87 of the tensor cores' peak where they were measured
/// (data/gpus.csv).
constexpr double kSustainedShare = 0.85;

bool IsGeforce(std::string_view gpu) {
  return gpu.starts_with("RTX-20") || gpu.starts_with("RTX-30") || gpu.starts_with("RTX-40") ||
         gpu.starts_with("RTX-50");
}

bool HasTf32(const Gpu& gpu, const std::string& architecture) {
  return gpu.tf32.has_value() || architecture == "ampere" || architecture == "ada" ||
         architecture == "hopper" || architecture == "blackwell";
}

}  // namespace

GpuSpeed SpeedOf(const Gpu& gpu) {
  if (!gpu.fp32 || !gpu.memory_bandwidth) {
    throw Error(fmt::format("the {} of {} is not in the catalog",
                            gpu.fp32 ? "memory bandwidth" : "arithmetic rate", gpu.name),
                "add it with a file for --catalog, or choose another GPU");
  }
  GpuSpeed speed;
  speed.name = gpu.name;
  speed.chip = ChipOf(gpu.name);
  speed.architecture = ArchitectureOf(gpu.name);
  speed.fp32 = gpu.fp32_sustained.value_or(*gpu.fp32).value;
  speed.memory_bandwidth = gpu.memory_bandwidth->value;
  speed.memory = gpu.memory;
  speed.has_tf32 = HasTf32(gpu, speed.architecture);
  const std::optional<FlopsPerSecond> listed = gpu.fp16 ? gpu.fp16 : gpu.bf16;
  double tensor_peak = listed.value_or(FlopsPerSecond{speed.fp32}).value;
  const double share = !listed             ? 1
                       : gpu.bf16_measured ? gpu.bf16_measured->value / tensor_peak
                                           : kSustainedShare;
  speed.halved_tensor = listed && IsGeforce(gpu.name);
  if (speed.halved_tensor) tensor_peak /= 2;
  speed.tensor = share * tensor_peak;
  speed.tf32 = !speed.has_tf32 ? speed.fp32 : share * (gpu.tf32 ? gpu.tf32->value : tensor_peak / 2);
  return speed;
}

bool IsDtype(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"fp32", "tf32", "amp", "fp16", "bf16"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Dtype ParseDtype(std::string_view name) {
  if (name == "fp32") return Dtype::kFp32;
  if (name == "tf32") return Dtype::kTf32;
  if (IsDtype(name)) return Dtype::kAmp;
  throw UsageError(fmt::format("there is no precision '{}'", name), "use fp32, tf32, amp, fp16 or bf16");
}

std::string DtypeName(Dtype dtype) {
  switch (dtype) {
    case Dtype::kTf32:
      return "tf32";
    case Dtype::kAmp:
      return "amp";
    case Dtype::kFp32:
      break;
  }
  return "fp32";
}

Dtype EffectiveDtype(const GpuSpeed& gpu, Dtype dtype) {
  return dtype == Dtype::kTf32 && !gpu.has_tf32 ? Dtype::kFp32 : dtype;
}

double PeakRate(const GpuSpeed& gpu, Dtype dtype) {
  switch (dtype) {
    case Dtype::kTf32:
      return gpu.tf32;
    case Dtype::kAmp:
      return gpu.tensor;
    case Dtype::kFp32:
      break;
  }
  return gpu.fp32;
}

std::string ArchitectureOf(std::string_view gpu) {
  for (const ArchitectureName& name : kArchitectures) {
    if (gpu.starts_with(name.prefix)) return name.architecture;
  }
  return "";
}

std::string ChipOf(std::string_view gpu) {
  if (gpu.starts_with("RTX")) return std::string(gpu);
  return std::string(gpu.substr(0, gpu.find('-')));
}

}  // namespace stallscope
