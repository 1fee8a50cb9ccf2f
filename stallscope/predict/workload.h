#pragma once

#include <string>

#include "stallscope/predict/gpu_speed.h"
#include "stallscope/predict/software_stack.h"

namespace stallscope {

/// What one GPU trains in a step, beside the network.
struct Workload {
  int batch = 1;
  Dtype dtype = Dtype::kFp32;
  SoftwareStack stack;
  /// Who measures: rates of the same source share its way of measuring. Empty: nobody yet.
  std::string source;
};

}  // namespace stallscope
