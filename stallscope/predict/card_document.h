#pragma once

#include <optional>
#include <string>

#include "stallscope/document/prediction.h"
#include "stallscope/predict/measured_prediction.h"

namespace stallscope {

/// A prediction on processors as the document has it. What the profile measured of its data is kept: a loader
/// or a disk that needs longer than the step makes it wait for the difference, and never for less than it was
/// measured to.
PredictedMachine ToDocument(const MeasuredPrediction& prediction, const Profile& profile,
                            const MachineCard& card, const LinkTarget& target);

/// Whether the card was measured between machines, so that it knows their link.
bool KnowsLinkBetweenMachines(const MachineCard& card);

/// changed / plain - 1 of the step; `changed` has nothing but the link changed, so that what both share, the
/// measured compute time, is left out of the interval.
Estimate StepTimeChange(const PredictedMachine& plain, const PredictedMachine& changed);

}  // namespace stallscope
