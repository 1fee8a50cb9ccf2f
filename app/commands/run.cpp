#include <fmt/format.h>

#include <memory>

#include "app/command.h"
#include "app/commands/observe_job.h"
#include "app/commands/run_job.h"
#include "app/commands/run_options.h"
#include "app/profile_delivery.h"
#include "stallscope/base/environment.h"
#include "stallscope/base/error.h"
#include "stallscope/supervise/launch_environment.h"

namespace stallscope {
namespace {

LaunchPlan PlanOf(const RunOptions& options) {
  const auto launched = ReadLaunchEnvironment(ProcessEnvironment());
  if (options.emulate) {
    if (launched || options.launch.nnodes) {
      throw UsageError("--emulate makes its machines itself",
                       "leave out --nnodes, and start it without a launcher");
    }
    const int devices = options.launch.nproc_per_node.value_or(1);
    if (devices < 1) throw UsageError("--nproc-per-node must be at least 1", "give 1 or more");
    return PlanEmulated(options.emulate->nodes, devices);
  }
  const LaunchPlan plan = PlanLaunch(options.launch, launched, 1);
  if (plan.places_unknown) {
    throw UsageError("nobody says how many of the ranks are on this machine",
                     "set LOCAL_WORLD_SIZE, as torchrun does");
  }
  return plan;
}

void Explain(const RunOptions& options, const Program& program, const std::optional<TorchFacts>& torch,
             const LaunchPlan& plan) {
  fmt::print("runs      {}\n", fmt::join(program.argv, " "));
  if (torch)
    fmt::print("with      {}: Python {}.{}, torch {}\n", program.interpreter, torch->python_major,
               torch->python_minor, torch->version);
  if (options.observe) {
    fmt::print("observes  every step, to the program's own end; nothing is switched, evicted or refused\n");
    return;
  }
  const bool solo = plan.world_size > 1 && plan.local_ranks.size() > 1 && options.launches >= 3;
  fmt::print("launches  {} x {} rank{}{}\n", solo ? options.launches : 1, plan.world_size,
             plan.world_size == 1 ? "" : "s",
             solo ? fmt::format(", and {} x one rank alone, in turn", options.launches) : "");
  fmt::print(
      "wraps     DataLoader.__iter__, torch.autograd.backward, step of every optimiser,\n"
      "          DistributedDataParallel, torch.distributed's collectives; by sitecustomize, in memory\n");
  fmt::print("evicts    {}\n",
             !options.evict ? "nothing (--no-evict): cold is left out"
             : options.data.empty()
                 ? "the files that the loaders open, from this machine's page cache"
                 : fmt::format("the files that the loaders open below {}", fmt::join(options.data, " and ")));
  fmt::print("writes    {}\n",
             options.allow_writes
                 ? "whatever the program writes (--allow-writes)"
                 : "nothing of the program's: its folder is an overlay, checkpoints are refused");
  fmt::print("takes     at most {}\n", FormatDuration(options.max_time));
}

int RunRun(RunFlags& flags, const std::vector<std::string>& argv) {
  const RunOptions& options = flags.options;
  flags.ReadUnits();
  const Program program =
      ReadProgram(options.program, options.python, ProcessEnvironment()("PATH").value_or("/usr/bin:/bin"));
  std::optional<TorchFacts> torch;
  if (!program.interpreter.empty()) torch = RequireTorch(program.interpreter);
  const LaunchPlan plan = PlanOf(options);
  if (options.explain) {
    Explain(options, program, torch, plan);
    return kExitOk;
  }
  if (options.observe) return ObserveProgram(options, argv, program, plan, MakeOutputFolder(options).path);
  RunJob job(options, argv, program, plan);
  try {
    return plan.Leads() ? job.Run(MakeOutputFolder(options).path) : job.Follow();
  } catch (const Error&) {
    if (const auto code = job.SignalExitCode()) return *code;
    throw;
  }
}

}  // namespace

std::function<int()> DeclareRun(CLI::App& app, const std::vector<std::string>& argv) {
  const auto flags = std::make_shared<RunFlags>();
  flags->Declare(app);
  return [flags, argv] { return RunRun(*flags, argv); };
}

}  // namespace stallscope
