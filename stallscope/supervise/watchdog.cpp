#include "stallscope/supervise/watchdog.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <map>

#include "stallscope/base/error.h"
#include "stallscope/supervise/fork.h"
#include "stallscope/supervise/line_buffer.h"
#include "stallscope/supervise/undo.h"

namespace stallscope {
namespace {

constexpr char kFarewell[] = "bye";
/// The pipe is read at once by a process that does nothing else.
constexpr double kSayTimeout_s = 10;

/// "+ID KIND WHAT" registers and "-ID" forgets.
void Obey(const std::string& line, std::map<int, Undo>& items) {
  if (line.empty()) return;
  int id = 0;
  const char* end = line.data() + line.size();
  const char* after = std::from_chars(line.data() + 1, end, id).ptr;
  if (line.front() == '-') {
    items.erase(id);
    return;
  }
  const std::string rest(after == end ? after : after + 1, end);
  const std::size_t space = rest.find(' ');
  if (line.front() != '+' || space == std::string::npos) return;
  items[id] = {.kind = rest.substr(0, space), .what = rest.substr(space + 1)};
}

/// The watchdog's whole life.
[[noreturn]] void Watch(int pipe) {
  // A session of its own, and deaf: the terminal's Ctrl-C and a signal to the owner's group are what it
  // has to survive.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE}) signal(number, SIG_IGN);
  setsid();
  prctl(PR_SET_NAME, "stallscope-wdog");
  // It must not keep a pipe of the owner open, nor the write end of its own.
  CloseAllDescriptorsBut(pipe);
  pipe = fcntl(pipe, F_DUPFD_CLOEXEC, 10);
  CloseAllDescriptorsBut(pipe);
  for (int fd = 0; fd < 3; ++fd) open("/dev/null", O_RDWR);
  if (chdir("/") != 0) _exit(1);

  SetNonblocking(pipe);
  LineBuffer lines;
  std::map<int, Undo> items;
  bool owner_lives = true;
  while (owner_lives) {
    WaitReady(pipe, POLLIN, kSayTimeout_s);
    owner_lives = lines.ReadFrom(pipe);
    while (const auto line = lines.Next()) {
      if (*line == kFarewell) _exit(0);
      Obey(*line, items);
    }
  }
  for (auto item = items.rbegin(); item != items.rend(); ++item) UndoNow(item->second);
  _exit(0);
}

}  // namespace

Watchdog::Item& Watchdog::Item::operator=(Item&& other) noexcept {
  std::swap(watchdog_, other.watchdog_);
  std::swap(id_, other.id_);
  return *this;
}

Watchdog::Item::~Item() {
  if (watchdog_ != nullptr) watchdog_->Say(fmt::format("-{}", id_));
}

Watchdog::Watchdog() : owner_(getpid()) {
  Pipe pipe = MakePipe();
  Pipe ready = MakePipe();
  pid_ = ForkWithoutHandlers();
  if (pid_ == 0) Watch(pipe.read_end.get());
  // Once it is deaf it closes all that it inherited: the end of this pipe says that it is on guard.
  ready.write_end.Close();
  WaitReady(ready.read_end.get(), POLLIN, kSayTimeout_s);
  pipe_ = std::move(pipe.write_end);
}

Watchdog::~Watchdog() {
  // A process forked from the owner has a copy of this object, but no right to the farewell.
  if (getpid() != owner_) return;
  Say(kFarewell);
  pipe_.Close();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Watchdog::Item Watchdog::RemoveTree(const std::filesystem::path& folder) {
  return Register(kUndoTree, std::filesystem::absolute(folder));
}

Watchdog::Item Watchdog::RemoveCgroup(const std::filesystem::path& folder) {
  return Register(kUndoCgroup, folder);
}

Watchdog::Item Watchdog::KillGroup(pid_t group) {
  return Register(kUndoGroup, std::to_string(group));
}

Watchdog::Item Watchdog::Register(const std::string& kind, const std::string& what) {
  if (what.find('\n') != std::string::npos) {
    throw Error("the path '" + what + "' holds a line feed", "use a folder without one, see TMPDIR");
  }
  const int id = next_id_++;
  Say(fmt::format("+{} {} {}", id, kind, what));
  return {this, id};
}

void Watchdog::Say(const std::string& line) {
  if (getpid() == owner_) WriteWithoutSigpipe(pipe_.get(), line + "\n", kSayTimeout_s);
}

}  // namespace stallscope
