#include "stallscope/hook/shebang.h"

#include <fstream>
#include <sstream>

#include "stallscope/hook/path_search.h"

namespace stallscope {
namespace {

namespace fs = std::filesystem;

/// A first line is read no further than this: the file may be a program without any line feed.
constexpr std::size_t kLongestLine = 4096;

std::string ReadLine(std::istream& file) {
  std::string line;
  for (char letter = 0; line.size() < kLongestLine && file.get(letter) && letter != '\n';) line += letter;
  return line;
}

/// Words between spaces; double quotes keep one together.
std::vector<std::string> SplitWords(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool inside = false;
  for (const char letter : line) {
    const bool space = letter == ' ' || letter == '\t' || letter == '\r';
    if (letter == '"') quoted = !quoted;
    if (space && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (letter != '"') words.back() += letter;
  }
  return words;
}

/// Leaves out `env`, its options and its variables.
void DropEnv(std::vector<std::string>& words) {
  if (words.empty() || fs::path(words.front()).filename() != "env") return;
  auto word = words.begin() + 1;
  while (word != words.end() && (word->starts_with('-') || word->find('=') != std::string::npos)) ++word;
  words.erase(words.begin(), word);
}

}  // namespace

std::optional<Shebang> ReadShebang(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string line = ReadLine(stream);
  if (!line.starts_with("#!")) return std::nullopt;
  std::vector<std::string> words = SplitWords(line.substr(2));
  // pip's way round paths that are too long for a first line, or have spaces in them: a line that a shell
  // executes, and that Python takes for the start of a string.
  constexpr std::string_view kDetour = "'''exec' ";
  const std::string second = ReadLine(stream);
  if (second.starts_with(kDetour)) {
    words = SplitWords(second.substr(kDetour.size()));
    while (!words.empty() && words.back().starts_with('$')) words.pop_back();  // "$0" "$@"
  }
  DropEnv(words);
  if (words.empty() || !IsPythonName(fs::path(words.front()).filename())) return std::nullopt;
  return Shebang{.interpreter = words.front(), .options = {words.begin() + 1, words.end()}};
}

}  // namespace stallscope
