#include "stallscope/probe/triad_pass.h"

namespace stallscope {

void TriadPass(double* __restrict a, const double* __restrict b, const double* __restrict c, double q,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + q * c[i];
}

}  // namespace stallscope
