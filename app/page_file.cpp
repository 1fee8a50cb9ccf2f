#include "app/page_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <sstream>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"
#include "stallscope/report/html.h"

namespace stallscope {

void CheckPageFile(const std::string& html, bool force, const OutputOptions& output) {
  if (html.empty()) return;
  if (html == "-") {
    if (!output.JsonOnStdout()) return;
    throw UsageError("--html - and --json - both go to standard output", "give one of them a file");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(html, ignored)) {
    throw UsageError(fmt::format("--html {} is a folder", html), "give a file: --html page.html");
  }
  if (!force && std::filesystem::exists(html, ignored)) {
    throw UsageError(fmt::format("--html {} exists already", html),
                     "choose another file, or overwrite it with --force");
  }
  const std::filesystem::path parent = std::filesystem::path(html).parent_path();
  if (!parent.empty() && !std::filesystem::is_directory(parent, ignored)) {
    throw UsageError(fmt::format("--html {}: there is no folder '{}'", html, parent.string()),
                     "make the folder first, or choose another");
  }
}

void WritePage(const std::string& html, const Profile& profile) {
  std::ostringstream page;
  WriteHtml(profile, page);
  if (html == "-") {
    std::cout << page.str() << std::flush;
  } else {
    WriteFileAtomically(html, page.str());
  }
}

}  // namespace stallscope
