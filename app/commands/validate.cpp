#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/output.h"
#include "app/page_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/machine/host.h"
#include "stallscope/predict/validate_absolute.h"
#include "stallscope/predict/validate_scaling.h"
#include "stallscope/report/validation_console.h"

namespace stallscope {
namespace {

struct ValidateFlags {
  std::string file;
  std::string mode = "scaling";
  std::string cross_validate;
  MeasurementDefaults defaults;
  PageFlags page;
  OutputOptions output;
};

void CheckFlags(const ValidateFlags& flags) {
  if (flags.file.empty()) throw UsageError("no table was given", "name a CSV file (docs/formats.md)");
  if (flags.mode != "scaling" && flags.mode != "absolute") {
    throw UsageError(fmt::format("--mode '{}' is none that there is", flags.mode),
                     "take scaling or absolute");
  }
  if (!flags.cross_validate.empty() && flags.cross_validate != "source") {
    throw UsageError(fmt::format("--cv '{}' is nothing that can be left out", flags.cross_validate),
                     "take --cv source");
  }
  if (!flags.defaults.stack.empty() && !StackOf(flags.defaults.stack).known) {
    throw UsageError(fmt::format("--stack '{}' is no stack that is known", flags.defaults.stack),
                     "take one of: " + StackNames());
  }
}

Validation Validated(const ValidateFlags& flags, const MeasuredTable& table) {
  const bool refit = !flags.cross_validate.empty();
  if (flags.mode == "absolute") {
    return ValidateAbsolute(table, refit, [&](const std::string& what) {
      if (!flags.output.quiet) std::cerr << what << '\n';
    });
  }
  return refit ? CrossValidateScaling(table) : ValidateScaling(table, ShippedParameters());
}

int RunValidate(const ValidateFlags& flags, const std::vector<std::string>& argv) {
  CheckFlags(flags);
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output);
  const MeasuredTable table(ReadMeasurementFile(flags.file), Catalog::Load(), flags.defaults);
  Validation validation = Validated(flags, table);
  validation.tool.version = STALLSCOPE_VERSION;
  validation.created = UtcNow();
  validation.argv = argv;
  validation.host = ReadHost({});
  validation.file = flags.file;
  if (flags.output.ShowText() && !flags.page.OnStdout()) {
    PrintValidation(validation, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const std::string text = ToJson(validation);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope validate");
  return kExitOk;
}

}  // namespace

std::function<int()> DeclareValidate(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<ValidateFlags>();
  app.add_option("table", flags->file, "CSV of published training rates (docs/formats.md)")
      ->type_name("FILE");
  app.add_option("--mode", flags->mode,
                 "scaling: the smallest row of each series is given and the others are predicted from it "
                 "(default); absolute: nothing is given but the catalog and what other sources published")
      ->type_name("scaling|absolute");
  app.add_option(
         "--cv", flags->cross_validate,
         "source: fit anew without each source of the table, predict that source with the fit, and print "
         "the parameters of every fold; without it nothing is fitted")
      ->type_name("WHAT");
  app.add_option("--stack", flags->defaults.stack,
                 "the software that trained, in place of the framework column: " + StackNames())
      ->type_name("NAME");
  flags->page.DeclareWithForce(app);
  DeclareOutput(app, flags->output);
  app.footer("Example: stallscope validate measurements.csv --cv source --json validation.json");
  return [flags, argv] { return RunValidate(*flags, argv); };
}

}  // namespace stallscope
