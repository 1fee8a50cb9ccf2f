#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope {

/// Class folders of JPEGs, as torchvision's ImageFolder takes them: FOLDER/CLASS/NAME.jpg, with a train/
/// level above the classes where there is one, and folders within a class. Names that begin with a dot, and
/// files that are not called .jpg or .jpeg, are passed over.
class ImageFolder {
 public:
  /// Lists the names; opens no file. Throws Error, also where a link leads out of the folder, unless
  /// `follow`.
  static ImageFolder List(const std::filesystem::path& folder, bool follow = false);

  std::size_t size() const { return files_.size(); }
  std::string PathOf(std::size_t file) const;
  int LabelOf(std::size_t file) const { return folders_[files_[file].folder].label; }
  const std::vector<std::string>& classes() const { return classes_; }
  /// The folder of the classes: the one that was given, or its train/.
  const std::filesystem::path& root() const { return root_; }
  std::size_t passed_over() const { return passed_over_; }
  double listed_at_s() const { return listed_at_s_; }  ///< wall clock

  /// A folder to or from which files came or went since the listing.
  std::optional<std::string> ChangedFolder() const;

 private:
  struct Folder {
    std::string path;
    int label = 0;
    std::int64_t changed_ns = 0;
  };
  /// Names lie in one text: a million files are 30 MB, not 100.
  struct File {
    std::uint32_t folder;
    std::uint32_t name;
  };

  void ListClass(const std::string& path, int label, int depth);

  std::filesystem::path root_;
  std::string inside_;  ///< where links may lead; empty: anywhere
  std::vector<std::string> classes_;
  std::vector<Folder> folders_;
  std::vector<File> files_;
  std::string names_;
  std::size_t passed_over_ = 0;
  double listed_at_s_ = 0;
};

}  // namespace stallscope
