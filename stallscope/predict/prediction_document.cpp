#include "stallscope/predict/prediction_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "stallscope/base/units.h"

namespace stallscope {
namespace {

constexpr double kBitsPerByte = 8;
constexpr double kGiga = 1e9;

/// A part below this share of the step does not weaken what the step rests on.
constexpr double kCounts = 0.01;

/// From the best to the weakest.
constexpr std::array<std::string_view, 4> kBases = {kBasisMeasured, kBasisPublished, kBasisScaled,
                                                    kBasisTable};

std::string Gbit(BytesPerSecond rate) {
  return fmt::format("{:.4g} Gbit", rate.value * kBitsPerByte / kGiga);
}

std::string PerSecond(BytesPerSecond rate) {
  return FormatBytes(rate.value) + "/s";
}

std::string InsideText(const InsideLink& inside) {
  switch (inside.kind) {
    case InsideKind::kNvlink:
      return "NVLink, " + PerSecond(inside.wires) + " one way per GPU";
    case InsideKind::kPcie:
      return "PCIe, " + PerSecond(inside.pcie) + " one way per GPU";
    case InsideKind::kBridgeOrPcie:
      return fmt::format("an NVLink bridge of {} or PCIe of {}", PerSecond(inside.wires),
                         PerSecond(inside.pcie));
    case InsideKind::kHostStaged:
      return "host memory: the driver refuses peer access";
    case InsideKind::kNone:
      break;
  }
  return "no link needed";
}

class Words {
 public:
  Words(const TrainingPrediction& prediction, const PredictionContext& context)
      : prediction_(prediction), context_(context) {}

  std::string Description() const {
    std::vector<std::string> parts;
    if (prediction_.devices_per_node > 1) parts.push_back(InsideText(prediction_.inside) + " inside");
    if (context_.nodes > 1) parts.push_back(NetworkText() + " between");
    if (parts.empty()) parts.emplace_back("nothing to exchange with");
    if (context_.machine.availability == "retired") {
      const std::string& last = context_.machine.last_listed;
      parts.push_back("no longer on the provider's list" + (last.empty() ? "" : ", last on " + last));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  std::string Interconnect() const {
    const InsideLink& inside = prediction_.inside;
    const auto share = [&](Parameter parameter) { return 100 * Value(parameter); };
    switch (inside.kind) {
      case InsideKind::kNvlink:
        return Fitted(fmt::format("{:.0f} % of the NVLinks' {}", share(Parameter::kNvlinkEfficiency),
                                  PerSecond(inside.wires)));
      case InsideKind::kPcie:
        return Fitted(fmt::format("{:.0f} % of the slot's {}", share(Parameter::kPcieEfficiency),
                                  PerSecond(inside.pcie)));
      case InsideKind::kBridgeOrPcie:
        return Fitted("the geometric mean of a bridge and PCIe, because nobody says which there is");
      case InsideKind::kHostStaged:
        return Fitted(fmt::format("{:.1f} GB/s through host memory", Value(Parameter::kHostStagingRate)));
      case InsideKind::kNone:
        break;
    }
    return Fitted("what waiting for other ranks adds");
  }

  std::string Network() const {
    const double link = prediction_.network.value;
    switch (prediction_.transport) {
      case Transport::kRdma:
        return Fitted(fmt::format("{:.0f} % of the machine's {}", 100 * Value(Parameter::kRdmaEfficiency),
                                  Gbit({link})));
      case Transport::kTcp:
        return Fitted(fmt::format("TCP's {} a machine of its {}", PerSecond({TcpRate()}), Gbit({link})));
      case Transport::kUnknown:
        break;
    }
    return Fitted(fmt::format(
        "the geometric mean of TCP and RDMA over {}, because nobody says which there is", Gbit({link})));
  }

  std::string Prep() const {
    if (!context_.images) return "tokens need no decoding: what real data adds to the ranks' jitter";
    return fmt::format("{:.0f} hardware threads that prepare {:.0f} images/s each{}", prediction_.cpus,
                       Value(Parameter::kPreparedPerCpu),
                       context_.loader_basis.empty() ? FittedOn() : ", as measured in the profile");
  }

  std::string Fetch() const {
    const double cached = prediction_.cached_share.value_or(0);
    if (cached >= 1) return "all of the data is in memory after the first epoch";
    const std::vector<std::string>& assumed = prediction_.assumed;
    if (std::find(assumed.begin(), assumed.end(), "disk") != assumed.end()) {
      return fmt::format(
          "{:.0f} % of the data, which memory does not hold, from a disk of {}, which is assumed: the "
          "catalog "
          "does not know this machine's",
          100 * (1 - cached), PerSecond(*prediction_.disk));
    }
    return fmt::format(
        "{:.0f} % of the data, which memory does not hold, from disks at the machine's limit of {} (the "
        "volume "
        "must reach it), read ahead of the step",
        100 * (1 - cached), PerSecond(*prediction_.disk));
  }

 private:
  double Value(Parameter parameter) const {
    return ToUnit(AllParameters()[static_cast<std::size_t>(parameter)],
                  At(context_.scaling.values, parameter));
  }

  /// As scaling_model.cpp has it: sockets leave a fifth of a link to headers and copies.
  double TcpRate() const {
    return std::min(Value(Parameter::kTcpRate) * kGiga, 0.8 * prediction_.network.value);
  }

  std::string FittedOn() const {
    return fmt::format(", fitted on {} published rates", context_.scaling.rows);
  }
  std::string Fitted(const std::string& what) const { return what + FittedOn(); }

  std::string NetworkText() const {
    const std::optional<Fabric>& fabric = context_.machine.fabric;
    std::string kind = "unknown transport";
    if (prediction_.transport == Transport::kTcp) kind = "TCP";
    if (prediction_.transport == Transport::kRdma) kind = fabric ? fabric->kind : "RDMA";
    return fmt::format("{} over {}", kind, Gbit(prediction_.network));
  }

  const TrainingPrediction& prediction_;
  const PredictionContext& context_;
};

void AddPrice(const TrainingPrediction& prediction, const PredictionContext& context,
              PredictedMachine& document) {
  const std::optional<Price>& price = prediction.price;
  if (context.not_for_rent) {
    document.absent.push_back({"cost", *context.not_for_rent});
    return;
  }
  if (!price || !price->on_demand_usd_hour) {
    document.absent.push_back(
        {"cost", fmt::format("the catalog has no on-demand price of {}", context.machine.name)});
    return;
  }
  document.epoch_cost_usd = prediction.epoch_usd;
  document.price =
      PredictedPrice{.usd_per_hour = *price->on_demand_usd_hour,
                     .machines = context.nodes,
                     .region = price->region,
                     .date = price->date,
                     .stale = IsStale(*price, context.today),
                     .pays_for = "the machines alone, on demand: no storage, no traffic, no start-up"};
}

}  // namespace

const char* BasisWord(ComputeBasis basis) {
  switch (basis) {
    case ComputeBasis::kYours:
      return kBasisMeasured;
    case ComputeBasis::kPublished:
      return kBasisPublished;
    case ComputeBasis::kOtherGpu:
      return kBasisScaled;
    case ComputeBasis::kTable:
      break;
  }
  return kBasisTable;
}

const std::string& WeakerBasis(const std::string& one, const std::string& other) {
  const auto rank = [](const std::string& basis) { return std::find(kBases.begin(), kBases.end(), basis); };
  return rank(one) < rank(other) ? other : one;
}

PredictedMachine ToDocument(const TrainingPrediction& prediction, const PredictionContext& context) {
  const Words words(prediction, context);
  PredictedMachine document{.instance = context.machine.name,
                            .provider = context.machine.provider,
                            .gpu = prediction.gpu,
                            .description = words.Description(),
                            .nodes = context.nodes,
                            .devices_per_node = prediction.devices_per_node,
                            .step_time_s = prediction.step_s,
                            .samples_per_s = prediction.samples_per_s};
  const auto part = [&](const Estimate& seconds, const std::string& basis, const std::string& from) {
    const double share = seconds.mean / prediction.step_s.mean;
    if (document.basis.empty()) document.basis = basis;
    if (share >= kCounts) document.basis = WeakerBasis(document.basis, basis);
    return PredictedPart{seconds, share, basis, from};
  };
  document.compute = part(prediction.compute_s,
                          context.compute_basis.empty() ? BasisWord(prediction.basis) : context.compute_basis,
                          prediction.from);
  if (prediction.devices_per_node > 1) {
    document.interconnect = part(prediction.interconnect_s, kBasisScaled, words.Interconnect());
  } else {
    document.absent.push_back({"interconnect", "one GPU per machine has nobody to wait for inside it"});
  }
  if (context.nodes > 1) {
    document.network = part(prediction.network_s, kBasisScaled, words.Network());
  } else {
    document.absent.push_back({"network", "one machine"});
  }
  if (prediction.prep_s) {
    document.prep = part(*prediction.prep_s,
                         context.loader_basis.empty() ? kBasisScaled : context.loader_basis, words.Prep());
  } else {
    document.absent.push_back({"prep", "no data set is given"});
  }
  if (prediction.fetch_s) {
    document.fetch = part(*prediction.fetch_s, kBasisTable, words.Fetch());
  } else {
    document.absent.push_back(
        {"fetch", prediction.prep_s
                      ? fmt::format("the catalog does not know the disks of {}", context.machine.name)
                      : "no data set is given"});
  }
  document.cached_share = prediction.cached_share;
  document.epoch_time_s = prediction.epoch_s;
  if (prediction.epoch_s) {
    AddPrice(prediction, context, document);
  } else {
    document.absent.push_back({"epoch", "no data set is given"});
  }
  document.assumed = prediction.assumed;
  return document;
}

}  // namespace stallscope
