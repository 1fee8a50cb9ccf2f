#include "stallscope/supervise/run_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <cerrno>

#include "stallscope/base/error.h"
#include "stallscope/supervise/child_process.h"

namespace stallscope {
namespace {

FileDescriptor MemoryFile(const char* name) {
  FileDescriptor file(memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) {
    throw Error("cannot keep a tool's output: " + ErrnoText(errno), "free memory, or raise ulimit -n");
  }
  return file;
}

}  // namespace

std::string RunTool(const std::vector<std::string>& argv, const ToolOptions& options) {
  // Files in memory, not pipes: a tool that says more than a pipe holds does not wait for us.
  const FileDescriptor output = MemoryFile("output");
  const FileDescriptor error = MemoryFile("error");
  ChildOptions child_options;
  child_options.argv = argv;
  child_options.output_fd = output.get();
  child_options.error_fd = error.get();
  child_options.user_namespace = options.user_namespace;
  child_options.network_namespace = options.network_namespace;
  ChildProcess child(child_options);
  child.CloseInput();
  const auto status = child.Wait(options.timeout);
  const std::string command = fmt::format("{}", fmt::join(argv, " "));
  if (!status) {
    child.Terminate(Seconds(0));
    throw Error(fmt::format("'{}' did not end within {}", command, FormatDuration(options.timeout)),
                "run it by hand to see what it waits for");
  }
  if (!status->ok()) {
    std::string words = ReadFromStart(error.get());
    while (!words.empty() && words.back() == '\n') words.pop_back();
    throw Error(fmt::format("'{}' failed with {}: {}", command, status->Text(), words),
                "run it by hand to see why");
  }
  return ReadFromStart(output.get());
}

}  // namespace stallscope
