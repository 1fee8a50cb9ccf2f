#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "stallscope/supervise/file_descriptor.h"

namespace stallscope {

/// Undoes what outlives a killed owner. A child process, forked when this is made, reads what there is
/// to undo from a pipe. If the pipe closes without a farewell (the owner crashed, or was killed), it undoes
/// all that is still registered, newest first; after a farewell it does nothing, for then the owner has
/// cleaned up. Make it early: before threads, and before what it has to undo.
class Watchdog {
 public:
  /// A registration; it ends with this object, which is destroyed after the thing itself was undone.
  class Item {
   public:
    Item() = default;
    Item(Item&& other) noexcept : watchdog_(std::exchange(other.watchdog_, nullptr)), id_(other.id_) {}
    Item& operator=(Item&& other) noexcept;
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;
    ~Item();

   private:
    friend class Watchdog;
    Item(Watchdog* watchdog, int id) : watchdog_(watchdog), id_(id) {}

    Watchdog* watchdog_ = nullptr;
    int id_ = 0;
  };

  Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  [[nodiscard]] Item RemoveTree(const std::filesystem::path& folder);
  /// Its members are killed first.
  [[nodiscard]] Item RemoveCgroup(const std::filesystem::path& folder);
  [[nodiscard]] Item KillGroup(pid_t group);

  pid_t pid() const { return pid_; }

 private:
  Item Register(const std::string& kind, const std::string& what);
  void Say(const std::string& line);

  pid_t owner_ = -1;
  pid_t pid_ = -1;
  FileDescriptor pipe_;
  int next_id_ = 1;
};

}  // namespace stallscope
