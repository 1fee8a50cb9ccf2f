#pragma once

#include <cstddef>

namespace stallscope {

/// a[i] = b[i] + q c[i]. In a file of its own, because it is the one that is compiled with -O3.
void TriadPass(double* a, const double* b, const double* c, double q, std::size_t count);

}  // namespace stallscope
