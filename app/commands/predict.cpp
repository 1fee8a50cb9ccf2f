#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/commands/predict_job.h"
#include "app/commands/predict_options.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/machine/host.h"
#include "stallscope/report/prediction_console.h"

namespace stallscope {
namespace {

int RunPredict(const PredictFlags& flags, const std::vector<std::string>& argv) {
  flags.Check();
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output);
  Prediction prediction = Predicted(flags);
  prediction.tool.version = STALLSCOPE_VERSION;
  prediction.created = UtcNow();
  prediction.argv = argv;
  prediction.host = ReadHost({});
  if (flags.output.ShowText() && !flags.page.OnStdout()) {
    PrintPrediction(prediction, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const std::string text = ToJson(prediction);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope predict");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclarePredict(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<PredictFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunPredict(*flags, argv); };
}

}  // namespace stallscope
