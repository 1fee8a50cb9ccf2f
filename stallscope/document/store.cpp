#include "stallscope/document/store.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <random>
#include <system_error>

#include "stallscope/base/error.h"
#include "stallscope/document/atomic_file.h"

namespace stallscope {
namespace {

constexpr std::size_t kLongestSlug = 40;
constexpr mode_t kFolderMode = 0755;  // and less where the umask says so
/// A taken name is met once in 2^40 tries; the second already means that something else is wrong.
constexpr int kTries = 10;
constexpr const char* kHint = "give --store DIR a folder that you may write to, or --no-store";

void MakeFolders(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  MakeFolders(folder.parent_path());
  // Another command may make it at the same moment.
  if (mkdir(folder.c_str(), kFolderMode) == 0 || errno == EEXIST) return;
  throw Error(
      fmt::format("cannot make the store '{}': {}", folder.string(), std::generic_category().message(errno)),
      kHint);
}

std::string RandomLetters() {
  // The system's generator: two machines that start at once must not draw the same.
  std::random_device device;
  return fmt::format("{:08x}{:02x}", device(), device() & 0xffU);
}

/// "2026-11-16T15:54:44Z" becomes "20261116T155444Z": names sort by time, and need no quoting.
std::string TimeForName(const std::string& created) {
  std::string name;
  for (const unsigned char c : created) {
    if (std::isalnum(c) != 0) name += static_cast<char>(c);
  }
  return name;
}

std::optional<std::string> Variable(const Environment& environment, const char* name) {
  const auto value = environment(name);
  return value && !value->empty() ? value : std::nullopt;
}

}  // namespace

std::string Slug(const std::string& text) {
  const std::string last = text.substr(text.find_last_of('/') + 1);
  std::string slug;
  for (const unsigned char c : last) {
    const bool plain = c < 128 && (std::isalnum(c) != 0 || c == '.');
    if (plain) slug += static_cast<char>(std::tolower(c));
    if (!plain && !slug.empty() && slug.back() != '-') slug += '-';
  }
  slug.resize(std::min(slug.size(), kLongestSlug));
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unnamed" : slug;
}

std::filesystem::path StoreFolder(const std::string& flag, const Environment& environment) {
  if (!flag.empty()) return flag;
  if (const auto folder = Variable(environment, "STALLSCOPE_STORE")) return *folder;
  // The XDG specification has relative paths ignored.
  const auto data = Variable(environment, "XDG_DATA_HOME");
  if (data && data->starts_with("/")) return std::filesystem::path(*data) / "stallscope";
  if (const auto home = Variable(environment, "HOME")) {
    return std::filesystem::path(*home) / ".local/share/stallscope";
  }
  throw UsageError("nothing says where the store is: HOME is not set", "give --store DIR");
}

std::filesystem::path Store::Add(const std::string& text, const std::string& created, const std::string& kind,
                                 const std::string& label) const {
  MakeFolders(folder_);
  for (int i = 0; i < kTries; ++i) {
    const std::filesystem::path path = folder_ / fmt::format("{}-{}-{}-{}.json", TimeForName(created),
                                                             Slug(kind), Slug(label), RandomLetters());
    try {
      if (WriteNewFileAtomically(path, text)) return path;
    } catch (const Error& error) {
      throw Error(error.what(), kHint);
    }
  }
  throw Error(fmt::format("the store '{}' takes no new file: every name exists already", folder_.string()),
              kHint);
}

}  // namespace stallscope
