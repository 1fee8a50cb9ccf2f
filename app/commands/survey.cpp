#include "stallscope/recommend/survey.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "app/command.h"
#include "app/commands/add_option.h"
#include "app/commands/recommend_options.h"
#include "app/page_file.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/machine/host.h"
#include "stallscope/predict/gpu_names.h"
#include "stallscope/recommend/known_runs.h"
#include "stallscope/report/survey_console.h"

namespace stallscope {
namespace {

struct SurveyFlags {
  std::string models = "alexnet,resnet18,resnet50,vgg11,bert_large";
  std::string instances;
  std::string nodes = "1,2";
  std::string batch = "32,bert_large=4";
  std::string dtype = "fp32";
  std::string datasets = "imagenet,wikipedia-tokens";
  std::string region;
  std::string store;
  bool no_store = false;
  std::string csv;
  std::string markdown;
  bool force = false;
  CatalogFlags catalog;
  PageFlags page;
  OutputOptions output;
};

int WholeNumber(const char* flag, const std::string& text, const char* example) {
  const double value = PositiveNumber(flag, text, example);
  if (value > 1e6 || value != static_cast<int>(value)) {
    throw UsageError(fmt::format("{} '{}' is no number of such", flag, text),
                     fmt::format("write {} {}", flag, example));
  }
  return static_cast<int>(value);
}

/// "32,bert_large=4": of all networks, and of some.
std::map<std::string, int> Batches(const std::string& text) {
  std::map<std::string, int> batches = {{"", 32}};
  for (const std::string& part : SplitList(text)) {
    const std::size_t equals = part.find('=');
    const std::string who = equals == std::string::npos ? "" : part.substr(0, equals);
    batches[who] = WholeNumber("--batch", equals == std::string::npos ? part : part.substr(equals + 1),
                               "32,bert_large=4");
  }
  return batches;
}

class SurveyJob {
 public:
  explicit SurveyJob(const SurveyFlags& flags) : flags_(flags), catalog_(flags.catalog.Load()) {}

  Survey Run() {
    RequireFilters(catalog_, "", flags_.region, "");
    ParseDtype(flags_.dtype);
    for (const std::string& name : SplitList(flags_.instances)) {
      request_.machines.push_back(
          static_cast<std::size_t>(&catalog_.FindMachine(name) - catalog_.machines().data()));
    }
    if (request_.machines.empty())
      throw UsageError("there is no machine to survey", "give --instances p3.2xlarge,p3.8xlarge,...");
    for (const std::string& count : SplitList(flags_.nodes)) {
      request_.nodes.push_back(WholeNumber("--nodes", count, "1,2"));
    }
    if (request_.nodes.empty()) throw UsageError("--nodes names no number", "write --nodes 1,2");
    ReadModels();
    request_.region = flags_.region;
    request_.today = UtcNow();
    const ComputeModel compute(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(catalog_));
    Survey survey = SurveyMachines(request_, catalog_, compute, ShippedParameters());
    survey.dtype = flags_.dtype;
    survey.datasets = SplitList(flags_.datasets);
    return survey;
  }

 private:
  void ReadModels() {
    const std::map<std::string, int> batches = Batches(flags_.batch);
    std::vector<StoreEntry> kept;
    if (!flags_.no_store) kept = Store(StoreFolder(flags_.store, ProcessEnvironment())).List();
    for (const std::string& name : SplitList(flags_.models)) {
      const Network network = BuildNetwork(name, {});
      SurveyedModel model{.name = network.name, .plan = {}, .runs = {}};
      model.plan.model = name;
      model.plan.precision = flags_.dtype;
      const auto own = batches.find(name);
      model.plan.batch = own != batches.end() ? own->second : batches.at("");
      model.plan.data = DataFor(network);
      model.runs = RunsOfStore(kept, catalog_, {network.name, flags_.dtype, {}, {}});
      request_.models.push_back(std::move(model));
    }
    if (request_.models.empty())
      throw UsageError("there is no network to survey", "give --models resnet50,...");
  }

  /// The first data set of the network's kind.
  std::optional<PlannedData> DataFor(const Network& network) const {
    const std::string kind = network.sample_kind == SampleKind::kTokens ? "tokens" : "images";
    for (const std::string& name : SplitList(flags_.datasets)) {
      if (catalog_.FindDataset(name).kind != kind) continue;
      PredictFlags data;
      data.dataset = name;
      return data.Data(network.name, TokensOf(network), catalog_);
    }
    return std::nullopt;
  }

  const SurveyFlags& flags_;
  Catalog catalog_;
  SurveyRequest request_;
};

int RunSurvey(const SurveyFlags& flags, const std::vector<std::string>& argv) {
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output, flags.force);
  Survey survey = SurveyJob(flags).Run();
  survey.tool.version = STALLSCOPE_VERSION;
  survey.created = UtcNow();
  survey.argv = argv;
  survey.host = ReadHost({});
  if (flags.output.ShowText() && flags.csv != "-" && flags.markdown != "-" && !flags.page.OnStdout()) {
    PrintSurvey(survey, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  const auto write = [&](const std::string& file, const auto& writer) {
    if (file.empty()) return;
    std::ostringstream text;
    writer(survey, text);
    WriteTable(file, text.str(), flags.force);
  };
  write(flags.csv, WriteSurveyCsv);
  write(flags.markdown, WriteSurveyMarkdown);
  const std::string text = ToJson(survey);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope survey");
  if (!survey.cells.empty()) return kExitOk;
  throw Error(fmt::format("none of the machines can be predicted; of {}: {}", survey.absent.front().instance,
                          survey.absent.front().reason),
              "choose other --instances, --models or a smaller --batch");
}

}  // namespace

std::function<int()> DeclareSurvey(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<SurveyFlags>();
  constexpr const char* kWhat = "What";
  AddOption(app, "--models", flags->models, "NAME,...", kWhat,
            "networks (default alexnet,resnet18,resnet50,vgg11,bert_large)");
  AddOption(app, "--instances", flags->instances, "NAME,...", kWhat,
            "machines of the catalog (catalog list)");
  AddOption(app, "--nodes", flags->nodes, "N,...", kWhat,
            "machines at once; more than one shows the network stall (default 1,2)");
  AddOption(app, "--batch", flags->batch, "N,MODEL=N,...", kWhat,
            "samples per GPU and step (default 32,bert_large=4)");
  AddOption(app, "--dtype", flags->dtype, "TYPE", kWhat, "fp32 (default), tf32, amp, fp16 or bf16");
  AddOption(app, "--dataset", flags->datasets, "NAME,...", kWhat,
            "of every kind of network one (default imagenet,wikipedia-tokens)");
  AddOption(app, "--region", flags->region, "NAME", kWhat,
            "of the prices (default the provider's reference)");
  AddOption(app, "--store", flags->store, "DIR", kWhat, "kept profiles take the place of predictions");
  app.add_flag("--no-store", flags->no_store, "use none")->group(kWhat);
  DeclareCatalogFiles(app, flags->catalog);
  app.get_option("--catalog")->group(kWhat);
  constexpr const char* kOutput = "Output";
  AddOption(app, "--csv", flags->csv, "FILE", kOutput, "every cell as a table (-: standard output)");
  AddOption(app, "--markdown", flags->markdown, "FILE", kOutput, "for a wiki (-: standard output)");
  app.add_flag("--force", flags->force, "replace files")->group(kOutput);
  flags->page.Declare(app);
  DeclareOutput(app, flags->output);
  app.footer(
      "Example: stallscope survey --models resnet50,vgg11 --instances p3.2xlarge,p3.8xlarge,p3.16xlarge");
  return [flags, argv] { return RunSurvey(*flags, argv); };
}

}  // namespace stallscope
