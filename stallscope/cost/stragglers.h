#pragma once

namespace stallscope::cost {

/// The expected maximum of `ranks` draws from a standard normal distribution: 0 for one, 0.56 for two, 1.42
/// for eight, 3.24 for a thousand. A step of many ranks ends with its slowest one.
double ExpectedMaximum(int ranks);

}  // namespace stallscope::cost
