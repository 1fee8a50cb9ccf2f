#include <array>

#include "app/command.h"

namespace stallscope {

std::span<const Command> Commands() {
  static const std::array kCommands = {
      Command{"run", "Measure", "where does your own PyTorch program wait? (unedited)", DeclareRun},
      Command{"profile", "Measure", "where does a training step wait on this machine?", DeclareProfile},
      Command{"probe", "Measure", "what is this machine, and is it healthy?", DeclareProbe},
      Command{"doctor", "Measure", "what can this machine measure, and what to fix?", DeclareDoctor},
      Command{"predict", "Decide", "how long would a step take on machines that you have not rented?",
              DeclarePredict},
      Command{"recommend", "Decide", "what to rent: the cheapest within a deadline, the fastest for a budget",
              DeclareRecommend},
      Command{"survey", "Decide", "machines by networks: stalls, time, cost, and what each is good at",
              DeclareSurvey},
      Command{"compare", "Look", "which of several profiles is faster, and where?", DeclareCompare},
      Command{"report", "Look",
              "a finished profile, machine card or prediction as text, or as a page for the browser",
              DeclareReport},
      Command{"catalog", "Data", "machines, GPUs, prices and measured bandwidth", DeclareCatalog},
      Command{"dataset", "Data", "make, inspect and read data to measure with", DeclareDataset},
      Command{"law", "Research", "how layers and gradients drive communication stalls", DeclareLaw},
      Command{"validate", "Research", "predictions against a table of published measurements",
              DeclareValidate},
      Command{"store", "Data", "the documents of earlier runs", DeclareStore},
      // For packagers and shells.
      Command{"completions", "", "completion of commands and flags for a shell", DeclareCompletions},
      Command{"manual", "", "the man page", DeclareManual},
  };
  return kCommands;
}

}  // namespace stallscope
