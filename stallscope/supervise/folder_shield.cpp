#include "stallscope/supervise/folder_shield.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <sstream>
#include <vector>

#include "stallscope/base/error.h"
#include "stallscope/base/root.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

/// One overlay. All but its place is named relative to the folder of the changes, for two reasons: overlay's
/// option string gives commas, colons and backslashes a meaning, and what is mounted below the folder is out
/// of reach once the folder itself is covered.
struct Layer {
  std::string place;
  std::string base;
  std::string lower;
  std::string upper;
  std::string work;
  std::string options;
  struct stat info {};
};

/// "\040" is a space: mountinfo writes space, tab, line feed and backslash as three octal digits.
std::string Unescape(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// The folder, and what is mounted below it, for an overlay does not look through mounts. Sorted: a place
/// comes after the one that it is in.
std::set<std::string> PlacesToCover(const fs::path& folder) {
  std::set<std::string> places = {folder};
  std::istringstream lines(ReadText(Root{}, "proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (int column = 0; column < 5; ++column) words >> word;  // the fifth is the mount point
    const std::string place = Unescape(word);
    if (place.starts_with(folder.string() + "/")) places.insert(place);
  }
  return places;
}

/// An overlay keeps its marks in attributes that only the machine's own root may write, or else in those of
/// a user; only with the former can it rename folders.
bool NeedsUserAttributes(Privilege privilege) {
  if (privilege != Privilege::kOwn) return true;
  std::istringstream map(ReadText(Root{}, "proc/self/uid_map").value_or(""));
  unsigned long inside = 0;
  unsigned long outside = 0;
  unsigned long count = 0;
  map >> inside >> outside >> count;
  return count != 0xffffffffUL;  // a container whose root is root of a user namespace
}

std::vector<Layer> PlanLayers(const fs::path& folder, Privilege privilege) {
  const char* marks = NeedsUserAttributes(privilege) ? "userxattr" : "redirect_dir=on";
  std::vector<Layer> layers;
  for (const std::string& place : PlacesToCover(folder)) {
    Layer layer{.place = place, .base = std::to_string(layers.size())};
    if (stat(place.c_str(), &layer.info) != 0) continue;  // hidden below another mount, or not ours to see
    layer.lower = layer.base + "/lower";
    layer.upper = layer.base + "/upper";
    layer.work = layer.base + "/work";
    layer.options =
        fmt::format("lowerdir={},upperdir={},workdir={},{}", layer.lower, layer.upper, layer.work, marks);
    layers.push_back(layer);
  }
  return layers;
}

// From here to FolderShield: the holder's side. Async-signal-safe calls only; 0, or an errno value.

int MakeFolder(const std::string& path) {
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

int MakeRoom(const Layer& layer) {
  for (const std::string* path : {&layer.base, &layer.upper, &layer.work}) {
    if (const int failure = MakeFolder(*path)) return failure;
  }
  // The covered folder shows the owner and mode of `upper`. Another's folder is ours in here, where we may
  // not give it away.
  [[maybe_unused]] const int given = chown(layer.upper.c_str(), layer.info.st_uid, layer.info.st_gid);
  if (chmod(layer.upper.c_str(), layer.info.st_mode & 07777) != 0) return errno;
  if (S_ISDIR(layer.info.st_mode)) return MakeFolder(layer.lower);
  const int fd = open(layer.lower.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

int BindLower(const Layer& layer) {
  if (const int failure = MakeRoom(layer)) return failure;
  return mount(layer.place.c_str(), layer.lower.c_str(), nullptr, MS_BIND, nullptr) == 0 ? 0 : errno;
}

int CoverOne(const Layer& layer) {
  return mount("stallscope", layer.place.c_str(), "overlay", 0, layer.options.c_str()) == 0 ? 0 : errno;
}

/// A mounted file, or a file system that no overlay takes: it is there, and nobody may write to it.
int ShowReadOnly(const Layer& layer) {
  const char* place = layer.place.c_str();
  if (mount(layer.lower.c_str(), place, nullptr, MS_BIND, nullptr) != 0) return errno;
  return mount(nullptr, place, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0 ? 0 : errno;
}

int CoverAll(const std::vector<Layer>& layers, bool last_resort) {
  if (const int failure = CoverOne(layers.front())) return failure;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    int failure = CoverOne(layers[i]);
    if (failure == 0) continue;
    if (last_resort || !S_ISDIR(layers[i].info.st_mode)) failure = ShowReadOnly(layers[i]);
    if (failure == 0) continue;
    umount2(layers.front().place.c_str(), MNT_DETACH);  // and all that is below
    return failure;
  }
  return 0;
}

int CoverFrom(const std::string& changes, const std::vector<Layer>& layers, bool last_resort) {
  if (chdir(changes.c_str()) != 0) return errno;
  int failure = 0;
  for (const Layer& layer : layers) failure = failure != 0 ? failure : BindLower(layer);
  if (failure == 0) failure = CoverAll(layers, last_resort);
  // The overlays hold on to what is below them; it needs no second name.
  for (const Layer& layer : layers) umount2(layer.lower.c_str(), MNT_DETACH);
  return failure;
}

int Furnish(const std::string& changes, const std::vector<Layer>& layers, bool changes_inside) {
  // Else what is mounted here would show outside, where the parent's mounts are shared.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  if (CoverFrom(changes, layers, false) != 0) {
    // The temporary folder may itself be on an overlay, as in a container. Memory will do.
    if (mount("stallscope", changes.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700") != 0) return errno;
    if (const int failure = CoverFrom(changes, layers, true)) return failure;
  }
  // An overlay's own folders cannot be seen through it (ELOOP): who walks through all shall find them empty.
  const bool hidden =
      !changes_inside || mount("stallscope", changes.c_str(), "tmpfs", MS_RDONLY, nullptr) == 0;
  return hidden ? 0 : errno;
}

fs::path CheckedFolder(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::canonical(folder, error);
  if (error || !fs::is_directory(real, error)) {
    throw UsageError(fmt::format("cannot shield '{}': there is no such folder", folder.string()),
                     "give the folder that the program runs in");
  }
  if (real == real.root_path()) {
    throw UsageError("cannot shield '/': /proc and /dev would be covered too",
                     "start it in the program's own folder");
  }
  return real;
}

NamespaceHolder CoverWith(Privilege privilege, const fs::path& folder, const fs::path& changes,
                          std::optional<int> user_namespace = std::nullopt) {
  const std::string room = fs::canonical(changes);
  const bool inside = room.starts_with(folder.string() + "/");
  const std::vector<Layer> layers = PlanLayers(folder, privilege);
  if (layers.empty()) throw Error(fmt::format("'{}' has gone", folder.string()), "try again");
  HolderPlan plan{.space = Space::kMounts, .privilege = privilege, .user_namespace = user_namespace};
  plan.furnish = [&] { return Furnish(room, layers, inside); };
  plan.purpose = fmt::format("shield folder '{}'", folder.string());
  // The kernel lets no ordinary user see below a mount, so also not beside it.
  if (privilege != Privilege::kOwn && layers.size() > 1) {
    plan.hint = fmt::format("run as root: something is mounted in it, at '{}'", layers[1].place);
  }
  return NamespaceHolder(plan);
}

NamespaceHolder Cover(const fs::path& folder, const fs::path& changes, std::optional<int> user_namespace) {
  if (user_namespace) return CoverWith(Privilege::kJoined, folder, changes, user_namespace);
  if (geteuid() != 0) return CoverWith(Privilege::kUserNamespace, folder, changes);
  try {
    return CoverWith(Privilege::kOwn, folder, changes);
  } catch (const Error& own) {
    // Root of a container may lack the right to mount, and still be allowed a user namespace.
    try {
      return CoverWith(Privilege::kUserNamespace, folder, changes);
    } catch (const Error&) {
      throw Error(own);
    }
  }
}

}  // namespace

FolderShield::FolderShield(const fs::path& folder, Watchdog* watchdog, std::optional<int> user_namespace)
    : folder_(CheckedFolder(folder)),
      changes_(watchdog),
      holder_(Cover(folder_, changes_.path(), user_namespace)) {}

void FolderShield::Place(ChildOptions& options) const {
  if (holder_.privilege() != Privilege::kOwn) options.user_namespace = holder_.user();
  options.mount_namespace = holder_.mounts();
  if (options.working_folder.empty()) options.working_folder = folder_;
}

std::optional<std::string> FolderShieldUnavailable() {
  try {
    const TemporaryFolder folder;
    const FolderShield attempt(folder.path());
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace stallscope
