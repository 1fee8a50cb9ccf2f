// Written by scripts/predict/fit_scaling_parameters.cpp; docs/models.md explains the values.
#include "stallscope/predict/scaling_parameters.h"

namespace stallscope {

const ScalingParameters& ShippedParameters() {
  // Value and standard error, in fit space.
  static const ScalingParameters kShipped =
      MakeParameters({{
                         {-0.537897, 0.177577},  // nvlink_efficiency: 0.584 of the wires' rate
                         {-0.806739, 0.139176},  // pcie_efficiency: 0.4463 of the x16 rate
                         {1.798235, 0.123535},   // host_staging_rate: 6.039 GB/s
                         {-0.177832, 0.142563},  // second_socket_share: 0.8371 of the staging rate
                         {-0.323135, 0.126980},  // rdma_efficiency: 0.7239 of the link
                         {1.157395, 0.109296},   // tcp_rate: 3.182 GB/s per machine
                         {1.551006, 0.786874},   // interference_inside: 0.8251 of compute
                         {-0.704514, 0.356751},  // interference_across: 0.3308 of compute
                         {-4.825483, 0.398822},  // sync_overhead: 0.008023 of compute
                         {-5.408353, 0.443809},  // jitter: 0.004479 of compute
                         {1.304645, 0.391525},   // real_data_jitter: 3.686 times jitter
                         {5.753288, 0.072457},   // prepared_per_cpu: 315.2 images/s
                         {2.261762, 0.133403},   // packing_rate: 9.6 GB/s
                     }},
                     /*interval_factor=*/2.0625, /*rows=*/589);
  return kShipped;
}

}  // namespace stallscope
