#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <sstream>

#include "app/command.h"
#include "app/commands/recommend_job.h"
#include "stallscope/base/clock.h"
#include "stallscope/base/error.h"
#include "stallscope/machine/host.h"
#include "stallscope/recommend/skypilot_task.h"
#include "stallscope/report/recommendation_console.h"
#include "stallscope/report/recommendation_tables.h"

namespace stallscope {
namespace {

constexpr const char* kTaskFile = "skypilot.yaml";

void WriteTables(const RecommendFlags& flags, const Recommendation& recommendation) {
  const auto write = [&](const std::string& file, const auto& writer) {
    if (file.empty()) return;
    std::ostringstream text;
    writer(recommendation, text);
    WriteTable(file, text.str(), flags.force);
  };
  write(flags.csv, WriteRecommendationCsv);
  write(flags.markdown, WriteRecommendationMarkdown);
}

void EmitTask(const RecommendFlags& flags, const Recommendation& recommendation) {
  if (flags.emit.empty() || !recommendation.choice) return;
  const std::size_t colon = flags.emit.find(':');
  const std::string file = colon == std::string::npos ? kTaskFile : flags.emit.substr(colon + 1);
  WriteTable(file, SkypilotTask(recommendation), flags.force);
  if (file != "-" && flags.output.ShowText()) fmt::print("wrote {}: sky launch {}\n", file, file);
}

bool TableOnStdout(const RecommendFlags& flags) {
  return flags.csv == "-" || flags.markdown == "-" || flags.emit == "skypilot:-" || flags.page.OnStdout();
}

int RunRecommend(const RecommendFlags& flags, const std::vector<std::string>& argv) {
  flags.Check();
  RequireOneOnStdout({{"--csv", flags.csv},
                      {"--markdown", flags.markdown},
                      {"--emit", flags.emit == "skypilot:-" ? "-" : ""},
                      {"--html", flags.page.html},
                      {"--json", flags.output.json_file}});
  CheckJsonFile(flags.output);
  flags.page.Check(flags.output, flags.force);
  Recommendation recommendation = Recommended(flags);
  recommendation.tool.version = STALLSCOPE_VERSION;
  recommendation.created = UtcNow();
  recommendation.argv = argv;
  recommendation.host = ReadHost({});
  if (flags.output.ShowText() && !TableOnStdout(flags)) {
    PrintRecommendation(recommendation, flags.output.StyleOf(STDOUT_FILENO), std::cout);
    std::cout << std::flush;
  }
  WriteTables(flags, recommendation);
  EmitTask(flags, recommendation);
  const std::string text = ToJson(recommendation);
  WriteJson(flags.output, text);
  flags.page.Write(text, "stallscope recommend");
  return recommendation.choice ? kExitOk : kExitNoChoice;
}

}  // namespace

std::function<int()> DeclareRecommend(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<RecommendFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunRecommend(*flags, argv); };
}

}  // namespace stallscope
