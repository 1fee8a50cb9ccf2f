#include "stallscope/catalog/gpu.h"

namespace stallscope {

std::optional<FlopsPerSecond> PeakFor(const Gpu& gpu, std::string_view dtype) {
  if (dtype == "fp32") return gpu.fp32_sustained ? gpu.fp32_sustained : gpu.fp32;
  if (dtype == "tf32") return gpu.tf32;
  if (dtype == "fp16" || dtype == "amp") return gpu.fp16;
  if (dtype == "bf16") return gpu.bf16;
  return std::nullopt;
}

}  // namespace stallscope
