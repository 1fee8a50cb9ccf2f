#include "stallscope/input/image_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "stallscope/base/error.h"
#include "stallscope/input/folder_entries.h"

namespace stallscope {
namespace {

/// Deeper is a loop of links.
constexpr int kDeepestFolder = 16;

bool HasJpegs(const FolderEntries& entries) {
  return std::any_of(entries.files.begin(), entries.files.end(), IsJpegName);
}

/// train/ is a level above the classes where it holds folders; where it holds JPEGs it is a class of trains.
bool IsTrainLevel(const std::string& path) {
  const FolderEntries entries = ReadFolder(path);
  return !entries.folders.empty() && !HasJpegs(entries);
}

double WallClockSeconds() {
  timespec now{};
  // File times are taken from the coarse clock, or since Linux 6.13 from the precise one: a file that was
  // there before is never later than this. One that is written within a tick (4 ms) after it may look older.
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

ImageFolder ImageFolder::List(const std::filesystem::path& folder, bool follow) {
  ImageFolder list;
  std::error_code ignored;  // a folder that is not there is told below
  if (!follow) list.inside_ = std::filesystem::canonical(folder, ignored).string();
  list.listed_at_s_ = WallClockSeconds();
  list.root_ = folder;
  FolderEntries top = ReadFolder(folder, list.inside_);
  if (std::binary_search(top.folders.begin(), top.folders.end(), "train") && IsTrainLevel(folder / "train")) {
    list.root_ = folder / "train";
    top = ReadFolder(list.root_, list.inside_);
  }
  const std::string root = list.root_;
  if (top.folders.empty() && top.files.empty()) {
    throw Error(fmt::format("the folder '{}' is empty", root),
                fmt::format("put class folders of JPEGs there, or run `stallscope dataset make {}`", root));
  }
  if (top.folders.empty() && HasJpegs(top)) {
    throw Error(fmt::format("the JPEGs in '{}' lie in no class folder", root),
                fmt::format("move them to a folder below it: {}/CLASS/", root));
  }
  list.folders_.push_back({root, -1, top.changed_ns});
  std::string empty_class;
  for (const std::string& name : top.folders) {
    const std::size_t before = list.files_.size();
    list.ListClass(root + "/" + name, static_cast<int>(list.classes_.size()), 0);
    list.classes_.push_back(name);
    if (list.files_.size() == before && empty_class.empty()) empty_class = root + "/" + name;
  }
  if (list.files_.empty()) {
    throw Error(fmt::format("there are no JPEGs below '{}'", root),
                fmt::format("put them in class folders: {}/CLASS/NAME.jpg", root));
  }
  if (!empty_class.empty()) {
    throw Error(fmt::format("the class folder '{}' holds no JPEG", empty_class),
                "remove the folder, or put its images there");
  }
  return list;
}

void ImageFolder::ListClass(const std::string& path, int label, int depth) {
  if (depth > kDeepestFolder) {
    throw Error(fmt::format("'{}' lies more than {} folders deep", path, kDeepestFolder),
                "look for a link that leads back to a folder above it");
  }
  const FolderEntries entries = ReadFolder(path, inside_);
  const auto folder = static_cast<std::uint32_t>(folders_.size());
  folders_.push_back({path, label, entries.changed_ns});
  for (const std::string& name : entries.files) {
    if (!IsJpegName(name)) {
      ++passed_over_;
      continue;
    }
    files_.push_back({folder, static_cast<std::uint32_t>(names_.size())});
    names_.append(name.c_str(), name.size() + 1);
  }
  for (const std::string& name : entries.folders) ListClass(path + "/" + name, label, depth + 1);
}

std::string ImageFolder::PathOf(std::size_t file) const {
  const File& entry = files_[file];
  const std::string& folder = folders_[entry.folder].path;
  const char* name = names_.c_str() + entry.name;
  std::string path;
  path.reserve(folder.size() + 32);
  return path.append(folder).append(1, '/').append(name);
}

std::optional<std::string> ImageFolder::ChangedFolder() const {
  for (const Folder& folder : folders_) {
    if (FolderChangeTime(folder.path) != folder.changed_ns) return folder.path;
  }
  return std::nullopt;
}

}  // namespace stallscope
