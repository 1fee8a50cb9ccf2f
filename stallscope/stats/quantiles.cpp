#include "stallscope/stats/quantiles.h"

#include <array>
#include <cmath>
#include <numbers>

namespace stallscope {

double NormalBelow(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double NormalQuantile(double share) {
  // Beyond nine deviations nothing is left that a double could tell from 0 or 1.
  double low = -9;
  double high = 9;
  while (true) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    (NormalBelow(middle) < share ? low : high) = middle;
  }
}

double StudentT975(std::size_t degrees_of_freedom) {
  constexpr std::array<double, 30> kTable = {
      12.70620, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814,
      2.20099,  2.17881, 2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596,
      2.07961,  2.07387, 2.06866, 2.06390, 2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227};
  if (degrees_of_freedom == 0) return INFINITY;
  if (degrees_of_freedom <= kTable.size()) return kTable[degrees_of_freedom - 1];
  // Cornish and Fisher's expansion around the normal quantile; its error is below 1e-5 here.
  constexpr double kZ = 1.959963984540054;
  const double n = static_cast<double>(degrees_of_freedom);
  const double z3 = kZ * kZ * kZ;
  return kZ + (z3 + kZ) / (4 * n) + (5 * z3 * kZ * kZ + 16 * z3 + 3 * kZ) / (96 * n * n);
}

}  // namespace stallscope
