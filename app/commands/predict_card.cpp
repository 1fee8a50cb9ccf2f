#include "app/commands/predict_card.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/commands/law_delivery.h"
#include "app/profile_file.h"
#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/law/law_document.h"
#include "stallscope/predict/card_document.h"

namespace stallscope {
namespace {

PredictedWorkload WorkloadOf(const PredictFlags& flags, const Profile& profile) {
  const WorkloadInfo& measured = profile.workload;
  PredictedWorkload workload{.model = measured.model,
                             .profile = flags.profile,
                             .parameters = measured.parameters,
                             .gradient_bytes = measured.gradient_bytes,
                             .batch_per_device = measured.batch_per_device * measured.accumulate,
                             .dtype = measured.dtype,
                             .stack = "pytorch",
                             .image_size = measured.image_size,
                             .sequence_length = measured.sequence_length};
  if (measured.dataset && measured.dataset->samples > 0) {
    workload.samples = static_cast<double>(measured.dataset->samples);
    workload.sample_bytes = static_cast<double>(measured.dataset->bytes) / *workload.samples;
  }
  return workload;
}

/// From the table of steps that the profile's run left beside it.
std::optional<Straggling> StragglingBeside(const std::string& profile) {
  const std::filesystem::path steps = ProfileFileAt(profile).parent_path() / "steps.csv";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(steps, ignored)) return std::nullopt;
  return StragglingOf(ReadFile(steps), steps.string());
}

/// The law that was asked for, else the newest that the store has of the card's machine. A store that does
/// not work costs the law, not the prediction.
void AddLaw(const PredictFlags& flags, const MachineCard& card, LinkTarget& target) {
  if (!flags.law.empty()) {
    const Law law = ReadLawAt(flags.law);
    if (law.host.name != card.host.name) {
      throw UsageError(fmt::format("--law {} is of '{}', and the machine card of '{}'", flags.law,
                                   law.host.name, card.host.name),
                       "sweep on the machine of the card");
    }
    target.law = ExchangeLawOf(law);
    target.law_source = "the law in " + flags.law;
    return;
  }
  if (flags.no_law) return;
  try {
    if (const auto newest = NewestLaw("", card.host.name)) {
      target.law = ExchangeLawOf(newest->law);
      target.law_source = "the law fitted on " + card.host.name + ", " + newest->law.created.substr(0, 10);
    }
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the card alone is enough
  }
}

}  // namespace

Prediction PredictedOnCard(const PredictFlags& flags, const Profile& profile, const MachineCard& card) {
  if (flags.workers || !flags.gpu.empty()) {
    throw UsageError(fmt::format("{} says nothing about a workload that was measured on processors",
                                 flags.workers ? "--workers" : "--gpu"),
                     "leave it out; --bandwidth is what can be changed");
  }
  if (!flags.dataset.empty() || !flags.samples.empty() || !flags.cached.empty()) {
    throw UsageError("the data of a workload that was measured on processors is the profile's own",
                     "leave --dataset, --samples, --sample-bytes and --cached out");
  }
  const WhatIf change = flags.Change(Catalog::Load());
  LinkTarget target{.nodes = flags.nodes,
                    .devices_per_node = profile.cluster.devices_per_node,
                    .wire = {},
                    .straggling = StragglingBeside(flags.profile)};
  AddLaw(flags, card, target);
  const auto predict = [&] {
    return ToDocument(PredictMeasured(profile, card, target), profile, card, target);
  };
  // A link that nobody measured cannot be changed: then --bandwidth says what there is.
  const bool known = KnowsLinkBetweenMachines(card);
  if (!known) target.wire = change.bandwidth;
  Prediction prediction;
  prediction.workload = WorkloadOf(flags, profile);
  PredictedChoice choice{.plain = predict(), .what_if = {}};
  if (known && change.bandwidth) {
    target.wire = change.bandwidth;
    PredictedMachine changed = predict();
    const Estimate by = StepTimeChange(choice.plain, changed);
    choice.what_if = PredictedChange{Describe(change), by, std::move(changed)};
  }
  prediction.choices.push_back(std::move(choice));
  return prediction;
}

}  // namespace stallscope
