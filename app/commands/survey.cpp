#include "stallscope/recommend/survey.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
  std::string batch;
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

constexpr const char* kUsualBatches = "32,bert_large=4";

/// "mlp:layers=8,width=512,resnet50" are two: what has a '=' and no ':' belongs to the network before it.
std::vector<std::string> SplitModels(const std::string& text) {
  std::vector<std::string> models;
  for (const std::string& part : SplitList(text)) {
    const bool goes_on = part.find('=') != std::string::npos && part.find(':') == std::string::npos;
    if (goes_on && !models.empty()) {
      models.back() += "," + part;
    } else {
      models.push_back(part);
    }
  }
  return models;
}

/// "32,bert_large=4,mlp:layers=8,width=512=64" are three: a network with parameters ends at the number that
/// follows its last one.
std::vector<std::string> SplitBatches(const std::string& text) {
  std::vector<std::string> batches;
  bool goes_on = false;
  for (const std::string& part : SplitList(text)) {
    if (goes_on) {
      batches.back() += "," + part;
    } else {
      batches.push_back(part);
    }
    const bool in_parameters = goes_on || part.find(':') != std::string::npos;
    goes_on = in_parameters && std::count(part.begin(), part.end(), '=') < 2;
  }
  return batches;
}

/// Of all networks (""), and of some by their names.
std::map<std::string, int> Batches(const std::string& text) {
  std::map<std::string, int> batches = {{"", 32}};
  for (const std::string& part : SplitBatches(text)) {
    const std::size_t equals = part.rfind('=');
    const bool all = equals == std::string::npos;
    const std::string who = all ? "" : BuildNetwork(part.substr(0, equals), {}).name;
    batches[who] = WholeNumber("--batch", all ? part : part.substr(equals + 1), kUsualBatches);
  }
  return batches;
}

template <typename Item>
void AddOnce(std::vector<Item>& items, Item item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(std::move(item));
}

class SurveyJob {
 public:
  explicit SurveyJob(const SurveyFlags& flags) : flags_(flags), catalog_(flags.catalog.Load()) {}

  Survey Run() {
    std::string any_provider;
    request_.region = flags_.region;
    ResolveFilters(catalog_, any_provider, request_.region);
    ParseDtype(flags_.dtype);
    for (const std::string& name : SplitList(flags_.instances)) {
      AddOnce(request_.machines,
              static_cast<std::size_t>(&catalog_.FindMachine(name) - catalog_.machines().data()));
    }
    if (request_.machines.empty())
      throw UsageError("there is no machine to survey", "give --instances p3.2xlarge,p3.8xlarge,...");
    for (const std::string& count : SplitList(flags_.nodes)) {
      AddOnce(request_.nodes, WholeNumber("--nodes", count, "1,2"));
    }
    if (request_.nodes.empty()) throw UsageError("--nodes names no number", "write --nodes 1,2");
    ReadModels();
    request_.today = UtcNow();
    const ComputeModel compute(ComputeParameters::Shipped(), RateTable::Shipped(), SpeedsOf(catalog_));
    Survey survey = SurveyMachines(request_, catalog_, compute, ShippedParameters());
    survey.dtype = flags_.dtype;
    survey.datasets = SplitList(flags_.datasets);
    return survey;
  }

 private:
  void ReadModels() {
    const std::map<std::string, int> batches = Batches(flags_.batch.empty() ? kUsualBatches : flags_.batch);
    std::vector<std::string> names;
    std::vector<StoreEntry> kept;
    if (!flags_.no_store) kept = Store(StoreFolder(flags_.store, ProcessEnvironment())).List();
    for (const std::string& name : SplitModels(flags_.models)) {
      const Network network = BuildNetwork(name, {});
      if (std::find(names.begin(), names.end(), network.name) != names.end()) continue;
      names.push_back(network.name);
      SurveyedModel model{.name = network.name, .plan = {}, .runs = {}};
      model.plan.model = name;
      model.plan.precision = flags_.dtype;
      const auto own = batches.find(network.name);
      model.plan.batch = own != batches.end() ? own->second : batches.at("");
      model.plan.data = DataFor(network);
      model.runs = RunsOfStore(kept, catalog_, WorkloadOf(network, flags_.dtype));
      request_.models.push_back(std::move(model));
    }
    if (request_.models.empty())
      throw UsageError("there is no network to survey", "give --models resnet50,...");
    if (flags_.batch.empty()) return;
    for (const auto& [who, batch] : batches) {
      if (!who.empty() && std::find(names.begin(), names.end(), who) == names.end()) {
        throw UsageError(fmt::format("--batch {}={} is of a network that is not surveyed", who, batch),
                         fmt::format("add it to --models, or name one of: {}", fmt::join(names, ", ")));
      }
    }
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
  RequireOneOnStdout({{"--csv", flags.csv},
                      {"--markdown", flags.markdown},
                      {"--html", flags.page.html},
                      {"--json", flags.output.json_file}});
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
  AddOption(app, "--dtype", flags->dtype, "fp32|tf32|amp|fp16|bf16", kWhat, "arithmetic (default fp32)");
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
