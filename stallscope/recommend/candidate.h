#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stallscope/catalog/catalog.h"
#include "stallscope/document/estimate.h"
#include "stallscope/recommend/charge.h"
#include "stallscope/recommend/job_time.h"
#include "stallscope/recommend/price_book.h"

namespace stallscope {

/// What a step's time rests on, best first.
enum class StepBasis {
  kMeasured,    ///< by the user, on this machine, with this workload
  kPublished,   ///< likewise by others
  kCalibrated,  ///< predicted, and corrected by a measurement on this machine
  kPredicted,
};
/// "measured", "published", "calibrated", "predicted".
const char* BasisName(StepBasis basis);

/// Means of a step's parts, in seconds; what does not apply or is not known is absent.
struct StepMeans {
  std::optional<double> compute_s;
  std::optional<double> interconnect_s;
  std::optional<double> network_s;
  std::optional<double> prep_s;
  std::optional<double> fetch_s;
};

/// So many machines of a kind with so large a batch, whatever they cost.
struct Configuration {
  std::size_t machine = 0;  ///< of the catalog
  int nodes = 1;
  int devices = 1;  ///< of all machines
  int batch = 1;    ///< per device
  Estimate step_s;
  StepMeans parts;
  StepBasis basis = StepBasis::kPredicted;
  std::size_t origin = 0;  ///< of Forecast::origins
};

/// How much there is to train.
struct JobSize {
  double samples = 0;  ///< of one epoch
  double epochs = 1;
  std::optional<double> steps;  ///< in place of epochs
  double dataset_bytes = 0;     ///< that every machine keeps; 0: nothing is stored
  double checkpoint_bytes = 0;  ///< weights and the optimiser's state

  double Steps(double global_batch) const;
};

/// What money is spent on beside the machines' hours, and what interrupts them.
struct MoneyRules {
  double setup_h = 0;  ///< from the machines' start until training begins; charged
  double storage_usd_gb_month = 0;
  double interruptions_machine_hour = 0;                     ///< of spot machines
  std::optional<double> checkpoint_s;                        ///< absent: the state through the machine's disk
  std::vector<std::pair<std::string, BillingRule>> billing;  ///< by provider; "*": of all others

  BillingRule BillingFor(const std::string& provider) const;
};

/// A configuration at a price.
struct Candidate {
  std::uint32_t configuration = 0;
  std::uint32_t offer = 0;    ///< of CandidateSet::offers
  std::uint32_t machine = 0;  ///< of the catalog
  std::uint32_t rank = 0;     ///< of the machine's full name, for ties
  JobTime time;
  Charge charge;
  double hours = 0;  ///< mean
  double usd = 0;    ///< at the mean hours

  double HoursAt(double intervals) const { return stallscope::HoursAt(time, intervals); }
  double UsdAt(double intervals) const { return charge.Usd(HoursAt(intervals)); }
};

struct CandidateSet {
  std::vector<Offer> offers;
  std::vector<Candidate> candidates;
  std::size_t considered = 0;         ///< with those of dearer regions, which are never better
  std::vector<std::size_t> unpriced;  ///< machines that have configurations and no price
};

/// Joins configurations with the machines' offers; of a market's regions, the cheapest is taken: time does
/// not differ, so the others are never chosen. `offers` by machine of the catalog.
CandidateSet MakeCandidates(const std::vector<Configuration>& configurations,
                            const std::vector<std::vector<Offer>>& offers,
                            const std::vector<Machine>& machines, const JobSize& job,
                            const MoneyRules& money);

/// One candidate in full; what MakeCandidates makes of each. For one that is not spot, `spot` stays empty.
struct SpotFacts {
  double interruptions = 0;  ///< expected
  double checkpoint_every_s = 0;
  double checkpoint_s = 0;
  double stretch = 1;
};
Candidate MakeCandidate(const Configuration& configuration, const Offer& offer, const Machine& machine,
                        const JobSize& job, const MoneyRules& money, std::optional<SpotFacts>* spot);

}  // namespace stallscope
