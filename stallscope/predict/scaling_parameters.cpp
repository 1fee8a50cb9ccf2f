#include "stallscope/predict/scaling_parameters.h"

#include <cmath>

namespace stallscope {

const std::array<ParameterFacts, kParameters>& AllParameters() {
  constexpr FitSpace kLog = FitSpace::kLogarithm;
  static constexpr std::array<ParameterFacts, kParameters> kFacts = {{
      {"nvlink_efficiency", "of the wires' rate", kLog, 0.75, 0.2,
       "bus bandwidth of NVLink machines without in-switch reduction: 78 to 82 % at 1 GB, less at 25 MB"},
      {"pcie_efficiency", "of the x16 rate", kLog, 0.45, 0.3,
       "2 x V100-PCIE 6.9 of 15.75 GB/s; PCIe 4 between bridged pairs 20 of 31.5"},
      {"host_staging_rate", "GB/s", kLog, 6.0, 0.4,
       "read from the staged rows of this very table (3 to 9 GB/s, whatever the PCIe generation): no outside "
       "source"},
      {"second_socket_share", "of the staging rate", kLog, 0.6, 0.4,
       "read from the same rows: a third to all of the rate with 8 GPUs"},
      {"rdma_efficiency", "of the link", kLog, 0.7, 0.15,
       "two nodes: p4d 0.70 to 0.82, p3dn 0.4 to 0.67, 4 x p6-b200 0.74, 16 x p5en 0.87"},
      {"tcp_rate", "GB/s per machine", kLog, 3.0, 0.4,
       "NCCL sockets on two nodes: 2.0 (8 x H200), 2.1 to 4.3 (p4d), 11 (a3 with eight interfaces)"},
      {"interference_inside", "of compute", FitSpace::kLogit, 0.73, 1.0,
       "read from this table: exposed time hardly depends on the batch; anything between 0 and 1 is "
       "possible"},
      {"interference_across", "of compute", FitSpace::kLogit, 0.5, 1.0,
       "half, and unsure; this table was known"},
      {"sync_overhead", "of compute", kLog, 0.008, 0.5,
       "read from this table: 1 % between one GPU and two where little is exchanged"},
      {"jitter", "of compute", kLog, 0.004, 0.7, "read from this table, loosely"},
      {"real_data_jitter", "times jitter", kLog, 3.0, 0.5, "a guess: loaders are less regular than kernels"},
      {"prepared_per_cpu", "images/s", kLog, 250.0, 0.4,
       "read from this table's image rows with real data (120 to 440); JPEG decode alone allows about 400"},
      {"packing_rate", "GB/s", kLog, 11.2, 0.5,
       "MXNet's unfused exchange of ResNet-200 on 2 GPUs: 258 MB in 23 ms"},
      {"stack_spread", "times", kLog, 1.0, 0.5, "the same exchange under different software"},
      {"unknown_link", "times", kLog, 1.0, 1.0,
       "a bridge of 40 GB/s, PCIe, or staging at 6: a factor of e around the middle"},
      {"unknown_transport", "times", kLog, 1.0, 0.5, "half the distance of TCP and RDMA on a 100 Gbit link"},
      {"unknown_bandwidth", "times", kLog, 1.0, 0.7, "links of 10 to 100 Gbit around the assumed one"},
      {"unknown_batch", "times", kLog, 1.0, 0.7, "twice or half the assumed batch"},
  }};
  return kFacts;
}

double ToUnit(const ParameterFacts& facts, double value) {
  return facts.space == FitSpace::kLogarithm ? std::exp(value) : 1 / (1 + std::exp(-value));
}

double ToFitSpace(const ParameterFacts& facts, double value) {
  return facts.space == FitSpace::kLogarithm ? std::log(value) : std::log(value / (1 - value));
}

UnitValues ToUnits(const ParameterValues& values) {
  UnitValues units{};
  for (std::size_t i = 0; i < kParameters; ++i) units.values[i] = ToUnit(AllParameters()[i], values[i]);
  return units;
}

ParameterValues PriorValues() {
  ParameterValues values{};
  for (std::size_t i = 0; i < kParameters; ++i) {
    values[i] = ToFitSpace(AllParameters()[i], AllParameters()[i].prior);
  }
  return values;
}

ScalingParameters MakeParameters(const std::array<ValueAndError, kFittedParameters>& fitted,
                                 double interval_factor, std::size_t rows) {
  ScalingParameters parameters{PriorValues(), {}, interval_factor, rows};
  for (std::size_t i = 0; i < kFittedParameters; ++i) {
    parameters.values[i] = fitted[i].value;
    parameters.errors[i] = fitted[i].error;
  }
  return parameters;
}

ParameterValues PriorSpreads() {
  ParameterValues spreads{};
  for (std::size_t i = 0; i < kParameters; ++i) spreads[i] = AllParameters()[i].spread;
  return spreads;
}

}  // namespace stallscope
