#pragma once

#include <string>
#include <vector>

#include "stallscope/document/profile.h"
#include "stallscope/predict/training_prediction.h"

namespace stallscope {

/// A profile's workload as a plan: batch, precision, buckets, data and one device's own time as measured.
/// `file` stands in sentences. The compute time is still that of the device that was measured on. Throws
/// Error where the profile has neither `solo` nor `crowd`.
TrainingPlan PlanFromProfile(const Profile& profile, const std::string& file);

/// A precision as plans have it, of what programs say: "float32" is "fp32".
std::string PrecisionOf(const std::string& dtype);

/// Samples of an optimiser step on one device.
int BatchOf(const Profile& profile);

/// The buckets of a synchronised rung, ready when they were measured to be; without such a rung the gradients
/// in buckets of 25 MiB, evenly over the backward pass.
std::vector<cost::GradientBucket> BucketsOf(const Profile& profile);

/// A measured step on another GPU, and how that was reckoned.
struct ScaledCompute {
  ComputeEstimate estimate;
  bool as_measured = false;  ///< the very chip that was measured on
};

/// Takes the measured time to another GPU. On the same chip it stays. A network of the zoo scales by its
/// layers and what published rates say of both GPUs; any other by something between the ratio of the GPUs'
/// arithmetic and that of their memory bandwidth, and both ends are inside the interval.
ScaledCompute ScaleCompute(const Profile& profile, const ComputeEstimate& measured, const Gpu& measured_on,
                           const GpuSpeed& target, const Catalog& catalog);

/// Tokens of a sample, as long as the profile says or as is usual; absent for images.
std::optional<double> SampleTokens(const Profile& profile, SampleKind kind);

/// Throws Error where the profile was measured on CPUs; `hint` is what to do then.
void RequireGpuProfile(const Profile& profile, const std::string& file, const std::string& hint);

/// The parameters with what the profile measured of its loader; as they are where it measured none.
ScalingParameters WithMeasuredLoader(ScalingParameters parameters, const Profile& profile);

}  // namespace stallscope
