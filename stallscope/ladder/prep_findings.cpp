#include <fmt/core.h>

#include "stallscope/base/units.h"
#include "stallscope/ladder/finding_checks.h"
#include "stallscope/ladder/optimal_loading.h"

namespace stallscope {
namespace {

struct Explanation {
  std::string why;
  std::string advice;
};

/// Why preparing is not hidden, from what the loader did alone and beside training.
class PrepDiagnosis {
 public:
  PrepDiagnosis(const Profile& profile, const FindingsInput& input)
      : profile_(profile),
        input_(input),
        noun_(SampleNoun(profile)),
        now_(profile.workload.loader_workers),
        step_s_(StepWithoutLoading(profile)),
        one_worker_s_(OneWorkersTime(profile)) {
    if (const auto optimal = OptimalLoadingFor(profile)) needed_ = optimal->workers_per_device;
  }

  Explanation Explain() const {
    if (!step_s_ || !one_worker_s_ || !needed_) return Unexplained();
    if (profile_.loader_limit_s && profile_.loader_limit_s->mean <= *step_s_) return KeepsUpAlone();
    if (!now_ || *needed_ > *now_) return TooFewWorkers();
    return profile_.loader_limit_s ? WorkersDoNotAddUp() : Unexplained();
  }

 private:
  Explanation Unexplained() const {
    return {.why = fmt::format("training waits or slows down when its {}s come from files, though these are "
                               "in memory",
                               noun_),
            .advice = "compare other numbers of --workers"};
  }

  /// "one worker prepares 8 images in 10.4 ms, and a step without data takes 41.0 ms: 1 worker would do".
  std::string Rates() const {
    return fmt::format("one worker prepares {} in {}, and a step without data takes {}: {} would do",
                       Count(static_cast<std::int64_t>(SamplesPerStep(profile_)), noun_),
                       FormatSeconds(*one_worker_s_), FormatSeconds(*step_s_), Count(*needed_, "worker"));
  }

  bool OnCpu() const { return profile_.cluster.device == "cpu"; }

  /// Cores of a machine with which this many workers per device need not take turns.
  std::int64_t CoresFor(std::int64_t workers) const {
    return input_.devices_per_host * (workers + (OnCpu() ? 1 : 0));
  }

  bool ShortOfCores(std::int64_t workers) const {
    return input_.cores_per_machine && *input_.cores_per_machine < CoresFor(workers);
  }

  /// What helps where the machine cannot prepare faster. More cores only where they are surely short.
  std::string Relief(bool short_of_cores) const {
    if (noun_ != "image") {
      return short_of_cores ? "use machines with more cores per device" : "compare fewer --workers";
    }
    return short_of_cores ? "use machines with more cores per device, smaller images, or images decoded ahead"
                          : "use smaller images, or images decoded ahead";
  }

  Explanation KeepsUpAlone() const {
    std::string why = fmt::format("{}; the loader alone makes a step's {}s in {}", Rates(), noun_,
                                  FormatSeconds(profile_.loader_limit_s->mean));
    const bool short_of_cores = now_ && ShortOfCores(*now_);
    why += !OnCpu()         ? ", so it only falls behind beside training"
           : short_of_cores ? ", so it and the training compete for cores"
                            : ", so it and the training compete for cores or memory bandwidth";
    const std::string beside = BesideTraining();
    if (!beside.empty()) why += ": " + beside;
    const char* no_workers = OnCpu() ? "; more workers would not help" : "";
    return {.why = why, .advice = Relief(short_of_cores) + no_workers};
  }

  /// What the parts of a step say about running training and loader at once.
  std::string BesideTraining() const {
    const ConditionInfo* warm = RungOf(profile_, "warm");
    const ConditionInfo* below = nullptr;
    for (const char* rung : {"cluster", "node", "solo"}) {
      if (below == nullptr) below = RungOf(profile_, rung);
    }
    if (warm == nullptr || below == nullptr) return "";
    const auto compute = [](const StepParts& parts) {
      return parts.forward_s + parts.backward_s + parts.optimizer_s;
    };
    std::string said;
    if (compute(warm->parts) > compute(below->parts) && compute(below->parts) > 0) {
      said = fmt::format("computing takes {} instead of {}", FormatSeconds(compute(warm->parts)),
                         FormatSeconds(compute(below->parts)));
    }
    if (warm->parts.data_wait_s > 0) {
      said += fmt::format("{}a step waits {} for its batch", said.empty() ? "" : ", and ",
                          FormatSeconds(warm->parts.data_wait_s));
    }
    return said;
  }

  Explanation TooFewWorkers() const {
    std::string why = Rates();
    if (now_) why += fmt::format(", and there {} {}", *now_ == 1 ? "is" : "are", *now_);
    if (!ShortOfCores(*needed_)) return {.why = why, .advice = fmt::format("use --workers {}", *needed_)};
    why += fmt::format("; but {}{} for each of {} take {}, and there {} {}", Count(*needed_, "worker"),
                       OnCpu() ? " and a training" : "", Count(input_.devices_per_host, "device"),
                       Count(CoresFor(*needed_), "core"), *input_.cores_per_machine == 1 ? "is" : "are",
                       *input_.cores_per_machine);
    return {.why = why, .advice = Relief(true)};
  }

  Explanation WorkersDoNotAddUp() const {
    return {.why = fmt::format("{}; but {} together need {} with nothing else running: they do not add up",
                               Rates(), Count(*now_, "worker"), FormatSeconds(profile_.loader_limit_s->mean)),
            .advice = Relief(ShortOfCores(*now_)) + "; more workers would not help"};
  }

  const Profile& profile_;
  const FindingsInput& input_;
  std::string noun_;
  std::optional<std::int64_t> now_;
  std::optional<double> step_s_;
  std::optional<double> one_worker_s_;
  std::optional<int> needed_;
};

void CheckPrep(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  const std::optional<Stall>& stall = LastingStalls(profile).prep;
  if (!Matters(stall)) return;
  const Explanation explanation = PrepDiagnosis(profile, input).Explain();
  findings.push_back({.severity = SeverityOf(*stall),
                      .what = fmt::format("preparing {}s on the CPU costs {} of a step", SampleNoun(profile),
                                          Percent(stall->share.mean)),
                      .why = explanation.why,
                      .advice = explanation.advice,
                      .saves_s = stall->seconds.mean});
}

void CheckCopy(const Profile& profile, std::vector<Finding>& findings) {
  const std::optional<Stall>& stall = LastingStalls(profile).copy;
  if (!Matters(stall)) return;
  const bool on_cpu = profile.cluster.device == "cpu";
  const std::string less = fmt::format("copy less: smaller {}s", SampleNoun(profile));
  findings.push_back(
      {.severity = SeverityOf(*stall),
       .what = fmt::format("{} of a step copies batches to the device", Percent(stall->share.mean)),
       .why = fmt::format("copying takes {} a step, a part of what preparing costs, and nothing hides it",
                          FormatSeconds(stall->seconds.mean)),
       .advice = on_cpu ? less : "copy from pinned memory while the device computes, or " + less,
       .saves_s = stall->seconds.mean});
}

}  // namespace

void AddPrepFindings(const Profile& profile, const FindingsInput& input, std::vector<Finding>& findings) {
  CheckPrep(profile, input, findings);
  CheckCopy(profile, findings);
}

}  // namespace stallscope
