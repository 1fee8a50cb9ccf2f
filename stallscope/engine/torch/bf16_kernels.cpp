#include "stallscope/engine/torch/bf16_kernels.h"

#include <cstdlib>
#include <mutex>

namespace stallscope {

void AvoidAmxKernels() {
  static std::once_flag once;
  std::call_once(once, [] { setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", /*overwrite=*/0); });
}

}  // namespace stallscope
