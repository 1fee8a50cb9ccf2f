#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stallscope/base/units.h"
#include "stallscope/catalog/gpu.h"

namespace stallscope {

/// What a training step's layers are computed in. `kAmp` is fp16 or bf16 with fp32 master weights.
enum class Dtype { kFp32, kTf32, kAmp };

/// "fp32", "tf32", "amp", and "fp16" and "bf16", which are amp. Throws UsageError for anything else.
Dtype ParseDtype(std::string_view name);
bool IsDtype(std::string_view name);
std::string DtypeName(Dtype dtype);

/// A GPU as the roofline sees it; rates in operations and bytes per second that a long kernel sustains.
struct GpuSpeed {
  std::string name;          ///< "V100-SXM2-16GB"
  std::string chip;          ///< "V100": memory sizes and boards of one chip behave alike
  std::string architecture;  ///< "volta"
  double fp32 = 0;
  bool has_tf32 = false;
  double tf32 = 0;    ///< the fp32 rate where the GPU has no such mode
  double tensor = 0;  ///< 2-byte products summed in fp32; the fp32 rate where there are no tensor cores
  /// GeForce cards are sold with half the rate of products that are summed in fp32: already halved here.
  bool halved_tensor = false;
  double memory_bandwidth = 0;
  std::optional<Bytes> memory;
};

/// From the catalog's facts. A rate that nobody measured is taken as kSustainedShare of the peak; tf32 that
/// is not listed as half the tensor rate. Throws Error where arithmetic rate or memory bandwidth is unknown.
GpuSpeed SpeedOf(const Gpu& gpu);

/// What `dtype` comes to on this GPU: a V100 computes tf32 as fp32.
Dtype EffectiveDtype(const GpuSpeed& gpu, Dtype dtype);
double PeakRate(const GpuSpeed& gpu, Dtype dtype);

/// "volta" for "V100-SXM2-16GB"; empty where the name tells nothing.
std::string ArchitectureOf(std::string_view gpu);
/// "V100" for "V100-SXM2-32GB", "RTX-A6000" for itself.
std::string ChipOf(std::string_view gpu);

}  // namespace stallscope
