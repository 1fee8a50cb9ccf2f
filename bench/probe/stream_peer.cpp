// A program that measures by STREAM's rules, written for comparison: OpenMP threads over static arrays, the
// triad, 24 bytes an element, every pass timed, the first one left out.
//   stream_peer ARRAY_BYTES PASSES    prints the bytes per second of each pass
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long count = std::atol(argv[1]) / static_cast<long>(sizeof(double));
  const int passes = std::atoi(argv[2]);
  // Not initialised here: the threads that work on a part touch it first.
  const std::unique_ptr<double[]> a(new double[static_cast<std::size_t>(count)]);
  const std::unique_ptr<double[]> b(new double[static_cast<std::size_t>(count)]);
  const std::unique_ptr<double[]> c(new double[static_cast<std::size_t>(count)]);
#pragma omp parallel for
  for (long i = 0; i < count; ++i) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 0;
  }
  const double scalar = 3;
  for (int pass = 0; pass <= passes; ++pass) {
    const auto begin = std::chrono::steady_clock::now();
#pragma omp parallel for
    for (long i = 0; i < count; ++i) a[i] = b[i] + scalar * c[i];
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (a[count / 2] != 2) return 1;
    if (pass > 0) std::printf("%.6e\n", 24.0 * static_cast<double>(count) / took.count());
  }
  return 0;
}
