#include "stallscope/predict/roofline.h"

#include <algorithm>
#include <cmath>

#include "stallscope/predict/layer_traffic.h"

namespace stallscope {
namespace {

struct TermFacts {
  const char* name;
  RooflinePrior prior;
};

/// Priors are wide: they hold a number in place only where no rate shows it.
constexpr std::array<TermFacts, kRooflineTerms> kTerms = {{
    {"convolution_fp32", {0.85, 0.3}},  // Winograd's products can exceed the peak
    {"convolution_tf32", {0.6, 0.3}},
    {"convolution_amp", {0.6, 0.3}},
    {"linear_fp32", {0.85, 0.2}},
    {"linear_tf32", {0.75, 0.25}},
    {"linear_amp", {0.75, 0.25}},
    {"attention", {0.4, 0.4}},
    {"grouped", {0.3, 0.7}},
    {"memory", {0.8, 0.15}},
    {"launch_s", {8e-6, 0.5}},
    {"fill_operations", {1e8, 1.0}},
    {"transpose", {1.0, 0.5}},
    {"unfused", {1.0, 0.3}},
    {"compiled", {0.6, 0.3}},
    {"geforce", {1.4, 0.2}},
}};

constexpr double kFloatBytes = 4;
constexpr double kHalfBytes = 2;
/// A cast reads 4 bytes and writes 2; every second operand of a product has been cast already.
constexpr double kCastBytes = 3;
/// Momentum: weight, gradient and momentum are read, weight and momentum written.
constexpr double kMomentumBytes = 5 * kFloatBytes;
/// Adam reads two moments and writes both, beside weight and gradient, and keeps a copy.
constexpr double kAdamBytes = 8 * kFloatBytes;
/// A multiply and an add, forward and twice backward.
constexpr double kOperationsPerMac = 6;

std::size_t Index(RooflineTerm term) {
  return static_cast<std::size_t>(term);
}

std::size_t OffsetOf(Dtype dtype) {
  return static_cast<std::size_t>(dtype);
}

double At(const RooflineLogs& logs, RooflineTerm term) {
  return std::exp(logs[Index(term)]);
}

}  // namespace

const char* RooflineTermName(RooflineTerm term) {
  return kTerms[Index(term)].name;
}

RooflinePrior PriorOf(RooflineTerm term) {
  return kTerms[Index(term)].prior;
}

RooflineLogs PriorLogs() {
  RooflineLogs logs{};
  for (std::size_t i = 0; i < kRooflineTerms; ++i) logs[i] = std::log(kTerms[i].prior.mean);
  return logs;
}

bool HasAttention(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const Layer& layer) { return layer.kind == LayerKind::kAttention; });
}

StepDemand DemandOf(const Network& network, const Workload& workload, const GpuSpeed& gpu) {
  const Dtype dtype = EffectiveDtype(gpu, workload.dtype);
  const double width = dtype == Dtype::kAmp ? kHalfBytes : kFloatBytes;
  const double batch = workload.batch;
  const bool attention = HasAttention(network);
  const bool unfused = attention && workload.stack.fusion == Fusion::kUnfused;

  StepDemand demand;
  demand.halved_tensor = gpu.halved_tensor && dtype != Dtype::kFp32;
  demand.fusion =
      workload.stack.fusion == Fusion::kUnfused && !unfused ? Fusion::kKernels : workload.stack.fusion;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const LayerTraffic traffic = TrafficOf(network, layer);
    const bool products = layer.forward_macs > 0;
    const bool convolution = layer.kind == LayerKind::kConv2d;
    const bool grouped = convolution && layer.groups > 1;
    const double factor = unfused ? traffic.unfused_factor : 1;
    LayerDemand entry;
    entry.layer = i;
    entry.attention = layer.kind == LayerKind::kAttention;
    entry.on_tensor_cores = products && !grouped && dtype != Dtype::kFp32;
    const RooflineTerm first = convolution ? RooflineTerm::kConvFp32 : RooflineTerm::kLinearFp32;
    entry.efficiency = grouped ? Index(RooflineTerm::kGrouped) : Index(first) + OffsetOf(dtype);
    const double peak = grouped ? gpu.fp32 : PeakRate(gpu, dtype);
    entry.products_s = kOperationsPerMac * static_cast<double>(layer.forward_macs) * batch / peak;
    entry.fill_s_per_operation = products ? 1 / gpu.fp32 : 0;
    entry.product_traffic_s = traffic.products * batch * width / gpu.memory_bandwidth;
    const bool transposed = convolution && !grouped && dtype == Dtype::kAmp && !workload.stack.channels_last;
    entry.transposed_s = transposed ? entry.product_traffic_s : 0;
    // What is left unfused stays in fp32, and products' operands are cast on the way.
    const double casts = unfused && dtype == Dtype::kAmp ? traffic.products * kCastBytes : 0;
    const double others = traffic.others * factor * (unfused ? kFloatBytes : width) + casts;
    entry.other_traffic_s = others * batch / gpu.memory_bandwidth;
    entry.kernels = traffic.kernels * factor;
    demand.layers.push_back(entry);
  }
  const double optimizer_bytes = attention ? kAdamBytes : kMomentumBytes;
  demand.optimizer_traffic_s =
      static_cast<double>(Totals(network).parameters) * optimizer_bytes / gpu.memory_bandwidth;
  return demand;
}

std::vector<double> LayerSeconds(const StepDemand& demand, const RooflineLogs& logs) {
  RooflineLogs numbers;
  std::transform(logs.begin(), logs.end(), numbers.begin(), [](double log) { return std::exp(log); });
  const auto number = [&](RooflineTerm term) { return numbers[Index(term)]; };
  const double fused = demand.fusion == Fusion::kCompiled  ? number(RooflineTerm::kCompiled)
                       : demand.fusion == Fusion::kUnfused ? number(RooflineTerm::kUnfused)
                                                           : 1;
  std::vector<double> seconds;
  seconds.reserve(demand.layers.size());
  for (const LayerDemand& layer : demand.layers) {
    double efficiency = numbers[layer.efficiency];
    if (layer.attention) efficiency *= number(RooflineTerm::kAttention);
    if (layer.on_tensor_cores && demand.halved_tensor) efficiency *= number(RooflineTerm::kGeforce);
    const double products =
        layer.products_s / efficiency + layer.fill_s_per_operation * number(RooflineTerm::kFill);
    const double traffic = layer.product_traffic_s + layer.transposed_s * number(RooflineTerm::kTranspose) +
                           layer.other_traffic_s * fused;
    seconds.push_back(products + traffic / number(RooflineTerm::kMemory) +
                      layer.kernels * number(RooflineTerm::kLaunch));
  }
  return seconds;
}

double RooflineSeconds(const StepDemand& demand, const RooflineLogs& logs) {
  double total = demand.optimizer_traffic_s / At(logs, RooflineTerm::kMemory);
  for (const double seconds : LayerSeconds(demand, logs)) total += seconds;
  return total;
}

}  // namespace stallscope
